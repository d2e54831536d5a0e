import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { CONFINED_LEVELS } from "@sealway/local/testing/functions"
import { afterAll, describe, expect, test } from "vitest"
import { deploy, invoke, type Language, startHost } from "./local-host.ts"

const root = await mkdtemp(join(tmpdir(), "sealway-isolation-"))
const secretFile = join(root, "secret")
await writeFile(secretFile, "marker-5b1d")
const { host, isolation } = await startHost({ folder: join(root, "lambda") })
afterAll(async () => {
  await host.close()
  await rm(root, { recursive: true })
})

const { confinement: level } = isolation
const isConfined = level !== "none"
const hasNamespaces = level === "namespaces"
/** The kernel ends many processes one by one. */
const ENDING = { timeout: 10_000 }
const REFUSED = { refused: expect.any(String) }

const context = { functionName: "f", runId: "r", app: "a", publicKey: {} }

/** Evaluates an expression with the payload `p`, and returns its value or that it was refused. */
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
  await deploy(host, language, name, file, { [file]: MODULES[language](expression), "data.txt": "mine" })
  const { answer } = await invoke(host, name, { payload, context })
  return Reflect.get(Object(answer), "result")
}

describe.each<Language>(["node", "python"])("a function in %s", (language) => {
  test("reads the files of its own zip", async () => {
    const expression = {
      node: 'fs.readFileSync("data.txt", "utf8")',
      python: 'pathlib.Path("data.txt").read_text()',
    }
    expect(await attempt(language, expression[language])).toBe("mine")
  })

  test.runIf(isConfined).each(["a file of the user", "another function's code"])(
    "cannot read %s",
    async (what) => {
      const other = `f-${crypto.randomUUID()}`
      await deploy(host, language, other, "main.mjs", { "main.mjs": "", "data.txt": "another's" })
      const [folder = ""] = (await readdir(join(root, "lambda"))).filter((name) => name.startsWith(other))
      const path =
        what === "a file of the user" ? secretFile : join(root, "lambda", folder, "code", "data.txt")
      const expression = { node: "fs.readFileSync(p, 'utf8')", python: "pathlib.Path(p).read_text()" }
      expect(await readFile(path, "utf8")).not.toBe("")
      expect(await attempt(language, expression[language], path)).toEqual(REFUSED)
    },
  )

  test.runIf(isConfined)("writes no file, not even its own", async () => {
    const expression = {
      node: 'fs.writeFileSync(p ?? "new.txt", "x")',
      python: 'pathlib.Path(p or "new.txt").write_text("x")',
    }
    expect(await attempt(language, expression[language])).toEqual(REFUSED)
    expect(await attempt(language, expression[language], join(tmpdir(), "sealway-new"))).toEqual(REFUSED)
    expect(await readdir(tmpdir())).not.toContain("sealway-new")
  })

  test.runIf(isConfined)("starts no program", async () => {
    const expression = {
      node: 'childProcess.execFileSync("/bin/true")',
      python: 'subprocess.run(["/bin/true"]).returncode',
    }
    expect(await attempt(language, expression[language])).toEqual(REFUSED)
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
})

test("starts no thread in a Node.js function", async () => {
  expect(await attempt("node", "new workers.Worker('1', { eval: true })")).toEqual({
    refused: "ERR_ACCESS_DENIED",
  })
})

const DAEMON = `
import os, time
def handler(p, c):
    if os.fork() == 0:
        if os.fork() != 0:
            os._exit(0)
        for fd in range(3):
            os.close(fd)
        time.sleep(600)
    return 'started'`

test.runIf(hasNamespaces)("ends a function's daemon when the function is deleted", async () => {
  const name = await deployPython(host, DAEMON)
  expect((await invoke(host, name, { payload: null, context })).answer).toMatchObject({ result: "started" })
  expect(await processesOf(name)).not.toEqual([])

  await host.remove(name)

  await expect.poll(() => processesOf(name), ENDING).toEqual([])
})

test.runIf(hasNamespaces)("ends a function's daemon when the function's time is over", async () => {
  const name = await deployPython(host, DAEMON.replace("return 'started'", "time.sleep(600)"), {
    timeoutSeconds: 1,
  })

  expect(await invoke(host, name, { payload: null, context })).toMatchObject({ kind: "timed-out" })
  await expect.poll(() => processesOf(name), ENDING).toEqual([])
})

test.runIf(hasNamespaces)("ends a function's daemon when the service ends", async () => {
  const own = await startHost()
  const name = await deployPython(own.host, DAEMON)
  await invoke(own.host, name, { payload: null, context })
  expect(await processesOf(name)).not.toEqual([])

  await own.host.close()

  await expect.poll(() => processesOf(name), ENDING).toEqual([])
})

test.runIf(isConfined).each(CONFINED_LEVELS)(
  "ends what is confined by %s when the service is killed",
  async (level) => {
    const marker = `marker-${crypto.randomUUID()}`
    const service = spawn(process.execPath, [join(import.meta.dirname, "launch-sleeper.ts"), level, marker])
    const [line] = await once(createInterface(service.stdout), "line")
    if (line === "started") expect(await processesOf(marker)).not.toEqual([])

    service.kill("SIGKILL")

    await expect.poll(() => processesOf(marker), ENDING).toEqual([])
  },
)

test.runIf(hasNamespaces)("counts the memory of a function's forks as the function's", async () => {
  const name = await deployPython(
    host,
    `
import os, time
def handler(p, c):
    for _ in range(8):
        if os.fork() == 0:
            held = bytearray(b"x" * 40_000_000)
            time.sleep(600)
    time.sleep(600)`,
    { memoryMb: 128, timeoutSeconds: 20 },
  )

  expect(await invoke(host, name, { payload: null, context })).toMatchObject({ kind: "out-of-memory" })
  await expect.poll(() => processesOf(name), ENDING).toEqual([])
})

test.runIf(hasNamespaces)("stops a function that forks without end at 256 processes", async () => {
  const name = await deployPython(
    host,
    `
import os, time
def handler(p, c):
    count = 0
    try:
        while count < 2000:
            if os.fork() == 0:
                time.sleep(600)
            count += 1
    except OSError:
        pass
    return count`,
    { memoryMb: 3008 },
  )

  const { answer } = await invoke(host, name, { payload: null, context })

  expect(Reflect.get(Object(answer), "result")).toBeLessThan(256)
  await host.remove(name)
  await expect.poll(() => processesOf(name), ENDING).toEqual([])
})

test.runIf(isConfined).each<Language>(["node", "python"])(
  "stops a function in %s between its runs",
  async (language) => {
    const name = `f-${crypto.randomUUID()}`
    const file = language === "node" ? "main.mjs" : "main.py"
    const source = {
      node: "setInterval(() => {}, 1); let runs = 0; export const handler = () => ++runs",
      python: `
import threading
def spin():
    while True: pass
threading.Thread(target=spin, daemon=True).start()
runs = 0
def handler(p, c):
    global runs
    runs += 1
    return runs`,
    }
    await deploy(host, language, name, file, { [file]: source[language] })

    for (const result of [1, 2, 3]) {
      const { answer } = await invoke(host, name, { payload: null, context })
      expect(answer).toMatchObject({ result })
      await expect.poll(() => statesOf(name), ENDING).toEqual(["T"])
    }

    await host.remove(name)
    await expect.poll(() => processesOf(name), ENDING).toEqual([])
  },
)

test.runIf(isConfined)("counts a function's page tables as its memory", async () => {
  const name = await deployPython(
    host,
    `
import mmap, time
def handler(p, c):
    step = 2 << 20
    held = mmap.mmap(-1, 100_000 * step, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
    for at in range(0, 100_000 * step, step):
        held[at]
    time.sleep(600)`,
    { memoryMb: 128 },
  )

  expect(await invoke(host, name, { payload: null, context })).toMatchObject({ kind: "out-of-memory" })
})

test.each(["namespaces", "landlock"] as const)(
  "stops a function that starts threads without end, confined by %s",
  async (level) => {
    const own = await startHost({ confinementLevels: [level] })
    if (own.isolation.confinement === level) {
      const name = await deployPython(
        own.host,
        `
import threading, time
def handler(p, c):
    threading.stack_size(32_768)
    for _ in range(5_000):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    time.sleep(600)`,
        { memoryMb: 1_024 },
      )

      expect(await invoke(own.host, name, { payload: null, context })).toMatchObject(
        level === "namespaces" ? { answer: { status: "failure" } } : { kind: "out-of-memory" },
      )
      await expect.poll(() => processesOf(name), ENDING).toHaveLength(level === "namespaces" ? 1 : 0)
    }
    await own.host.close()
  },
)

test("runs nothing where nothing can be confined, and says so", async () => {
  const own = await startHost({ confinementLevels: [], unconfinedFunctions: false })
  await deploy(own.host, "node", "f", "main.mjs", { "main.mjs": MODULES.node("1") })

  expect(await invoke(own.host, "f", { payload: null, context })).toMatchObject({ kind: "no-sandbox" })
  await own.host.close()
})

test("runs functions unconfined where the operator chose so", async () => {
  const own = await startHost({ confinementLevels: [] })
  for (const language of ["node", "python"] as const) {
    const file = language === "node" ? "main.mjs" : "main.py"
    await deploy(own.host, language, language, file, { [file]: MODULES[language]("1 + 1") })
    const { answer } = await invoke(own.host, language, { payload: null, context })
    expect(answer).toEqual({ status: "success", result: 2 })
  }
  await own.host.close()
})

async function deployPython(
  client: typeof host,
  source: string,
  limits: { readonly memoryMb?: number; readonly timeoutSeconds?: number } = {},
): Promise<string> {
  const name = `f-${crypto.randomUUID()}`
  await deploy(client, "python", name, "main.py", { "main.py": source }, limits)
  return name
}

/** Returns the states of a function's processes, as in /proc/PID/stat: `T` where they are stopped. */
async function statesOf(name: string): Promise<string[]> {
  const ids = await processesOf(name)
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "latin1")))
  return lines.map((line) => line.slice(line.lastIndexOf(")") + 2)[0] ?? "")
}

/**
 * Finds the processes whose environment contains a text, wherever they have gone. Ended ones that wait to be reaped do
 * not count.
 */
async function processesOf(text: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name))
  const environments = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/environ`, "latin1").catch(() => "")),
  )
  return ids.filter((_, index) => environments[index]?.includes(text))
}
