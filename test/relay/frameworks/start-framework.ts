import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { findPythonTool, installationOf, type PythonTool } from "../../../scripts/python-tool.ts"
import { ROOT } from "../../support/start.ts"

/** A framework, as the server of an application that answers with what it reads from requests. */
interface Framework {
  /** Returns the command that starts it on a free port of 127.0.0.1; null where it is not installed. */
  readonly command: () => readonly string[] | null
  readonly installation: string
}

const PYTHON: PythonTool = {
  packageName: "frameworks",
  requirements: ["bottle", "flask", "graphql-core", "starlette", "uvicorn", "python-multipart"],
  command: "python",
  variable: "FRAMEWORKS_PYTHON",
}

const program = (name: string) => join(import.meta.dirname, name)

export const FRAMEWORKS = {
  Express: { command: () => [process.execPath, program("express_app.ts")], installation: "npm install" },
  Starlette: onPython("starlette_app.py", "starlette, uvicorn, python_multipart"),
  Flask: onPython("flask_app.py", "flask, graphql"),
  Bottle: onPython("bottle_app.py", "bottle"),
  Symfony: {
    command: () =>
      runs(
        "php",
        "-r",
        "require 'Symfony/Component/HttpFoundation/autoload.php'; simplexml_load_string('<a/>');",
      )
        ? ["php", "-S", "127.0.0.1:0", "-t", program("symfony")]
        : null,
    installation: "apt-get install php-cli php-xml php-symfony-http-foundation",
  },
  Rack: {
    command: () => (runs("ruby", "-rrack", "-rwebrick", "-e", "") ? ["ruby", program("rack_app.rb")] : null),
    installation: "apt-get install ruby-rack ruby-webrick",
  },
} as const satisfies Record<string, Framework>

function onPython(script: string, modules: string): Framework {
  const tool = { ...PYTHON, check: ["-c", `import ${modules}`] }
  return {
    command() {
      const python = findPythonTool(tool, ROOT, process.env)
      return python === null ? null : [python, program(script)]
    },
    installation: installationOf(tool),
  }
}

function runs(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0
}

/** Starts a framework's server, and returns its port. It prints that in its first line. */
export async function startFramework([command = "", ...args]: readonly string[]) {
  const server = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] })
  const lines = [server.stdout, server.stderr].map((input) => once(createInterface({ input }), "line"))
  const ended = once(server, "exit").then(() => ["nothing"])
  const [line] = await Promise.race([...lines, ended])
  const [, port] = /([0-9]+)\D*$/.exec(String(line)) ?? []
  if (port === undefined) throw new Error(`${command} ${args.join(" ")} said: ${line}`)
  return {
    port: Number(port),
    async [Symbol.asyncDispose]() {
      server.kill()
      await once(server, "exit")
    },
  }
}
