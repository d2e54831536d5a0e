import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, describe, expect, test } from "vitest"
import { closeServer, listenOnLoopback } from "../../packages/local/src/cloud/loopback-server.ts"
import { deploy, invoke, type Language, lambdaUnderTest } from "./embedded-lambda.ts"

const root = await mkdtemp(join(tmpdir(), "sealway-isolation-"))
const secretFile = join(root, "secret")
await writeFile(secretFile, "marker-5b1d")
const service = await lambdaUnderTest(join(root, "lambda"))
const { lambda } = service
afterAll(async () => {
  await service.close()
  await rm(root, { recursive: true })
})

const context = { functionName: "f", runId: "r", app: "a", publicKey: {} }

/** Evaluates an expression, of the payload `p`, and answers what it gives or that it was refused. */
const MODULES: Readonly<Record<Language, (expression: string) => string>> = {
  node: (expression) => `
    import * as fs from "node:fs"
    import * as path from "node:path"
    import * as childProcess from "node:child_process"
    import * as workers from "node:worker_threads"
    export const handler = async (p) => {
      try { return (await (${expression})) ?? null } catch (error) { return { refused: error.code ?? error.name } }
    }`,
  python: (expression) => `
import glob, os, pathlib, signal, socket, subprocess, urllib.request
def handler(p, c):
    try:
        return ${expression}
    except Exception as error:
        return {"refused": type(error).__name__}`,
}

async function attempt(language: Language, expression: string, payload: unknown = null): Promise<unknown> {
  const name = `f-${crypto.randomUUID()}`
  const file = language === "node" ? "main.mjs" : "main.py"
  await deploy(lambda, language, name, file, { [file]: MODULES[language](expression), "data.txt": "mine" })
  const { answer } = await invoke(lambda, name, { payload, context })
  return Reflect.get(Object(answer), "result")
}

/** Python has no permission model: the kernel's Landlock stands in, where there is one. Its version; 0 for none. */
const LANDLOCK_VERSION = await promisify(execFile)("python3", [
  "-I",
  "-c",
  "import ctypes, sys; print(ctypes.CDLL(None).syscall(444, None, 0, 1) if sys.platform == 'linux' else 0)",
]).then(({ stdout }) => Math.max(0, Number(stdout)))

const REFUSED = { node: { refused: "ERR_ACCESS_DENIED" }, python: { refused: "PermissionError" } }

describe.each<Language>(["node", "python"])("a function in %s", (language) => {
  const confined = language === "node" || LANDLOCK_VERSION > 0

  test("reads the files of its own zip", async () => {
    const expression = {
      node: 'fs.readFileSync("data.txt", "utf8")',
      python: 'pathlib.Path("data.txt").read_text()',
    }
    expect(await attempt(language, expression[language])).toBe("mine")
  })

  test.runIf(confined).each(["secret", "lambda", "environment of this process"])(
    "cannot read %s",
    async (what) => {
      const paths: Record<string, string> = {
        secret: secretFile,
        lambda: join(root, "lambda"),
        "environment of this process": `/proc/${process.pid}/environ`,
      }
      const expression = {
        node: "fs.statSync(p).isDirectory() ? fs.readdirSync(p) : fs.readFileSync(p, 'utf8')",
        python: "os.listdir(p) if os.path.isdir(p) else pathlib.Path(p).read_text()",
      }
      expect(await attempt(language, expression[language], paths[what])).toEqual(REFUSED[language])
    },
  )

  test.runIf(confined)("writes no file, not even of its own", async () => {
    const expression = {
      node: 'fs.writeFileSync(p ?? "new.txt", "x")',
      python: 'pathlib.Path(p or "new.txt").write_text("x")',
    }
    expect(await attempt(language, expression[language])).toEqual(REFUSED[language])
    expect(await attempt(language, expression[language], join(tmpdir(), "sealway-new"))).toEqual(
      REFUSED[language],
    )
    expect(await readdir(tmpdir())).not.toContain("sealway-new")
  })

  test.runIf(confined)("starts no program", async () => {
    const expression = {
      node: 'childProcess.execFileSync("/bin/true")',
      python: 'subprocess.run(["/bin/true"]).returncode',
    }
    expect(await attempt(language, expression[language])).toEqual(REFUSED[language])
  })

  test("sees nothing of this process's environment", async () => {
    const expression = { node: "Object.keys(process.env).sort()", python: "sorted(os.environ)" }
    const names = await attempt(language, expression[language])
    const ofTheShell = ["PWD", "OLDPWD", "_", "SHLVL", "LC_CTYPE"]
    expect([names].flat().filter((name) => !ofTheShell.includes(String(name)))).toEqual([
      "AWS_DEFAULT_REGION",
      "AWS_EXECUTION_ENV",
      "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
      "AWS_LAMBDA_FUNCTION_NAME",
      "AWS_LAMBDA_FUNCTION_VERSION",
      "AWS_REGION",
      "LAMBDA_TASK_ROOT",
      "LANG",
      "PATH",
      "TZ",
      "_HANDLER",
    ])
  })

  test("reaches the network", async () => {
    const server = createServer((_, response) => response.end("reached"))
    const url = await listenOnLoopback(server)
    const expression = {
      node: "fetch(p).then((response) => response.text())",
      python: "urllib.request.urlopen(p).read().decode()",
    }
    expect(await attempt(language, expression[language], url)).toBe("reached")
    await closeServer(server)
  })
})

test("a Node.js function starts no thread", async () => {
  expect(await attempt("node", "new workers.Worker('1', { eval: true })")).toEqual(REFUSED.node)
})

test.runIf(LANDLOCK_VERSION >= 6)("a Python function signals no other process", async () => {
  expect(await attempt("python", "os.kill(p, 0)", process.pid)).toEqual(REFUSED.python)
})

test.runIf(process.platform === "linux")("what a Python function forks ends with its instance", async () => {
  const own = await lambdaUnderTest()
  const source = `
import os, time
def handler(p, c):
    pid = os.fork()
    if pid == 0:
        time.sleep(60)
        os._exit(0)
    return pid`
  await deploy(own.lambda, "python", "forks", "main.py", { "main.py": source })
  const { answer } = await invoke(own.lambda, "forks", { payload: null, context })
  const pid = Number(Reflect.get(Object(answer), "result"))
  expect(await isRunning(pid)).toBe(true)

  await own.close()

  await expect.poll(() => isRunning(pid)).toBe(false)
})

async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "State:\tX")
  return !/^State:\t[XZ]/m.test(status)
}
