import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"
import { ROOT, withFolder } from "../support/start.ts"
import { run } from "./cli.ts"

const execute = promisify(execFile)
const BIN = join(ROOT, "packages", "clients", "cli", "bin", "sealway.mjs")
const service = useService()

const environment = (folder: string) => ({ PATH: process.env.PATH, HOME: folder })

describe("the program", () => {
  test("exists as `npx sealway` in the clone", () =>
    withFolder(async (folder) => {
      const env = { ...environment(folder), npm_config_offline: "true", npm_config_update_notifier: "false" }
      const { stdout } = await execute("npx", ["--no-install", "sealway", "--help"], { cwd: ROOT, env })
      for (const command of [
        "login",
        "encrypt",
        "decrypt",
        "roles",
        "policies",
        "apps",
        "keys",
        "audit",
        "webhooks",
      ]) {
        expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"))
      }
      expect(stdout).toContain("Exit status:")
    }))

  test("prints its version", async () => {
    const { stdout } = await execute(process.execPath, [BIN, "--version"])
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test("works without settings in the folder where `npm start` runs", () =>
    withFolder(async (folder) => {
      await writeEnvironment(folder)
      const { stdout } = await execute(process.execPath, [BIN, "encrypt", "--value", "x"], {
        cwd: folder,
        env: environment(folder),
      })
      expect(stdout).toMatch(/^ev:debug:.+:\$\n$/)
    }))

  test("ends with the documented status as a process", () =>
    withFolder(async (folder) => {
      const status = async (args: readonly string[], env = {}) => {
        const child = spawn(process.execPath, [BIN, ...args], {
          cwd: folder,
          env: { ...environment(folder), ...env },
          stdio: "ignore",
        })
        await once(child, "exit")
        return child.exitCode
      }
      expect(await status(["--help"])).toBe(0)
      expect(await status(["nothing"])).toBe(2)
      expect(await status([])).toBe(2)
      expect(await status(["encrypt", "--value", "x"])).toBe(3)
      const env = { SEALWAY_URL: "http://127.0.0.1:1", SEALWAY_API_KEY: "x" }
      expect(await status(["encrypt", "--value", "x"], env)).toBe(5)
    }))

  test("ends at once with status 130 on Ctrl-C, and leaves no half-written file", () =>
    withFolder(async (folder) => {
      // A service that starts an answer and never ends it.
      const stalling = createServer((_request, response) => {
        response.writeHead(200, { "content-type": "application/octet-stream" })
        response.write("begun")
      }).listen(0, "127.0.0.1")
      await once(stalling, "listening")
      const address = stalling.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const requested = once(stalling, "request")
      const child = spawn(process.execPath, [BIN, "decrypt", "--binary", "-o", "out"], {
        cwd: folder,
        env: { ...environment(folder), SEALWAY_URL: `http://127.0.0.1:${port}`, SEALWAY_API_KEY: "x" },
        stdio: ["pipe", "ignore", "pipe"],
      })
      child.stdin.end("bytes")
      const exit = once(child, "exit")
      await requested
      child.kill("SIGINT")
      expect(await exit).toEqual([130, null])
      expect(await readdir(folder)).toEqual([])
      stalling.closeAllConnections()
      stalling.close()
    }))

  test("ends quietly when its reader stops reading", () =>
    withFolder(async (folder) => {
      const script = `"$NODE" "$BIN" --help | head -n 1; echo "\${PIPESTATUS[0]}"`
      const env = { ...environment(folder), NODE: process.execPath, BIN }
      const { stdout, stderr } = await execute("bash", ["-c", script], { env })
      expect(stdout).toBe("Usage: sealway [options] [command]\n0\n")
      expect(stderr).toBe("")
    }))
})

describe("the help", () => {
  test("says of every command what it does", async () => {
    const visit = async (path: readonly string[]): Promise<number> => {
      const help = await run([...path, "--help"])
      expect(help, path.join(" ")).toMatchObject({ exitCode: 0, stderr: "" })
      expect(help.stdout).toMatch(new RegExp(`^Usage: ${["sealway", ...path].join(" ")} .*\n\n.{10}`))
      const names = await commandsBelow(path)
      const counts = await Promise.all(names.map((name) => visit([...path, name])))
      return counts.reduce((sum, count) => sum + count, 1)
    }
    expect(await visit([])).toBeGreaterThan(30)
  })

  test("lists the commands as they describe themselves, without loading them", async () => {
    const listed = (text: string) => {
      const [, commands = ""] = /\nCommands:\n((?: {2,}.*\n)+)/.exec(text) ?? []
      const lines = commands
        .replaceAll(/\n {4,}/g, " ")
        .split("\n")
        .slice(0, -1)
      return lines.map((line) => line.replace(/^( {2}[a-z0-9-]+)(?: [[<][a-z]+[\]>])* +/, "$1 "))
    }
    // With another flag before it, all commands are loaded.
    expect(listed((await run(["--help"])).stdout)).toEqual(listed((await run(["--json", "--help"])).stdout))
  })

  test("is pointed at when an option is unknown: status 2", async () => {
    const refused = await run(["apps", "list", "--colour"])
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" })
    expect(refused.stderr).toContain("--help")
  })
})

describe("the page about the command line", () => {
  const readPage = () => readFile(join(ROOT, "docs", "cli.md"), "utf8")

  test(
    "shows commands that work from the first to the last",
    // Each is a separate process.
    () =>
      withFolder(async (folder) => {
        await writeEnvironment(folder)
        const blocks = [...(await readPage()).matchAll(/^```sh\n(.*?)^```$/gms)].map(
          ([, commands = ""]) => commands,
        )
        expect(blocks.length).toBeGreaterThan(4)
        const script = ["set -eu", "set -o pipefail", ...blocks]
          .join("\n")
          .replaceAll("npx sealway", '"$NODE" "$BIN"')
        const env = { ...environment(folder), NODE: process.execPath, BIN }
        const { stdout } = await execute("bash", ["-c", script], { cwd: folder, env })
        expect(stdout).toContain('{"name": "Ada", "card": "4242424242424242"}')
        expect(stdout).toContain("+ policy support in the office")
        expect(stdout).toContain("deny: no-policy-permits")
      }),
    90_000,
  )

  test("names every command and every subcommand", async () => {
    const page = await readPage()
    const rows = new Map(
      [...page.matchAll(/^\| (`[a-z`, -]+`) \| (.+) \|$/gm)].flatMap(([, names = "", rest = ""]) =>
        [...names.matchAll(/`([a-z-]+)`/g)].map(([, name = ""]) => [name, rest]),
      ),
    )
    for (const name of await commandsBelow([])) {
      expect(rows.get(name), name).not.toBeUndefined()
      for (const below of await commandsBelow([name])) expect(rows.get(name)).toContain(`\`${below}\``)
    }
  })
})

/** Returns the names of the commands that the help of one lists. */
async function commandsBelow(path: readonly string[]): Promise<string[]> {
  const { stdout } = await run([...path, "--help"])
  const commands = /\nCommands:\n((?: {2,}.*\n)+)/.exec(stdout)?.[1] ?? ""
  return [...commands.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = ""]) => name)
}

/** Writes what `npm start` writes. */
async function writeEnvironment(folder: string): Promise<void> {
  const variables = {
    SEALWAY_URL: service.url,
    SEALWAY_APP: service.sandbox.app.id,
    SEALWAY_API_KEY: service.sandbox.auth.key,
    SEALWAY_TEAM_KEY: service.team.auth.key,
  }
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${value}\n`)
  await mkdir(join(folder, ".sealway"))
  await writeFile(join(folder, ".sealway", "env"), lines.join(""))
}
