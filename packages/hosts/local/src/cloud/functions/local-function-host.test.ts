import { mkdir, readdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"
import type { FunctionHost, NewProgram } from "@sealway/ports"
import { zipSync } from "fflate"
import { expect, onTestFinished, test } from "vitest"
import { closeServer, listenOnLoopback } from "../loopback-server.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { type FunctionHostOptions, startFunctionHost } from "./start-function-host.ts"

const ECHO = "exports.handler = async (event) => event"

test("keeps functions across a restart", async () => {
  const folder = await temporaryFolder()
  const before = await started({ folder })
  await before.create(program("kept", ECHO))
  await before.close()

  expect(await call(await started({ folder }), "kept", 5)).toBe(5)
})

test("forgets removed functions across a restart, and removes incomplete ones", async () => {
  const folder = await temporaryFolder()
  const before = await started({ folder })
  await before.create(program("gone", ECHO))
  await before.remove("gone")
  await before.close()
  await mkdir(join(folder, "half.0123", "code"), { recursive: true })
  await mkdir(join(folder, "damaged.0123"))
  await writeFile(join(folder, "damaged.0123", "configuration.json"), "{")

  const host = await started({ folder })

  expect(await host.stateOf("gone")).toBe("absent")
  expect(await readdir(folder)).toEqual([])
})

test("lets a call finish when its function is removed meanwhile", async () => {
  const folder = await temporaryFolder()
  const host = await started({ folder })
  const door = await startDoor()
  const source = "exports.handler = async (url) => { await fetch(url); return require('./late.js') }"
  await host.create(program("slow", source))
  const running = call(host, "slow", door.url)
  await door.knocked
  await host.remove("slow")
  expect(await call(host, "slow", null)).toEqual({ kind: "absent" })
  door.open()

  expect(await running).toBe("late")
  await expect.poll(() => readdir(folder)).toEqual([])
})

test("refuses a function in Python when Python is not installed, and says so", async () => {
  const host = await started({ pythonPath: "/nowhere/python3" })

  await expect(host.create({ ...program("f", ""), language: "python@3.13" })).rejects.toMatchObject({
    name: "RefusedProgramError",
    reason: expect.stringContaining("Python 3.11 or newer"),
  })
})

test.each([{ a: "1", "a/b": "2" }, { [`${"é".repeat(200)}`]: "1" }])(
  "refuses a zip with paths that cannot be unpacked with RefusedProgramError, and keeps nothing of it: %#",
  async (files) => {
    const folder = await temporaryFolder()
    const host = await started({ folder })
    const entries = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)] as const)
    const zip = zipSync(Object.fromEntries(entries))

    await expect(host.create({ ...program("f", ""), zip })).rejects.toMatchObject({
      name: "RefusedProgramError",
    })
    expect(await readdir(folder)).toEqual([])
  },
)

test.each(["../f", "a/b", ""])("creates no folder for the name %o", async (name) => {
  const folder = await temporaryFolder()
  const host = await started({ folder })

  await expect(host.create(program(name, ECHO))).rejects.toMatchObject({ name: "ZodError" })
  expect(await readdir(folder)).toEqual([])
})

test("answers when a function writes to the channel itself, and keeps working", async () => {
  const host = await started()
  const forge = (bytes: string) =>
    `const { writeSync } = require("node:fs")\nexports.handler = async (event) => { if (event) writeSync(3, Buffer.from(${bytes})); return event }`
  await host.create(program("endless", forge('"S\\xff\\xff\\xff\\xff", "latin1"')))
  await host.create(program("other", forge('"R\\0\\0\\0\\0", "latin1"')))
  await host.create(program("twice", forge('"S\\0\\0\\0\\x011S\\0\\0\\0\\x012", "latin1"')))

  for (const name of ["endless", "other", "twice"]) {
    expect(await call(host, name, 1)).toMatchObject({ kind: expect.stringMatching(/exited|out-of-memory/) })
    expect(await call(host, name, 0)).toBe(0)
  }
})

test("runs two concurrent calls in two processes, and consecutive ones in one", async () => {
  const host = await started()
  const door = await startDoor()
  const source =
    "const id = Math.random(); exports.handler = async (url) => { if (url) await fetch(url); return id }"
  await host.create(program("pid", source))
  const held = call(host, "pid", door.url)
  await door.knocked
  const [first, second] = [await call(host, "pid", null), await call(host, "pid", null)]
  door.open()

  expect(second).toBe(first)
  expect(await held).not.toBe(first)
})

test("ends calls when it is closed, and takes no further ones", async () => {
  const host = await started()
  const door = await startDoor()
  await host.create(program("endless", "exports.handler = async (url) => { await fetch(url) }"))
  const running = call(host, "endless", door.url)
  await door.knocked

  await host.close()

  expect(await running).toMatchObject({ kind: expect.stringMatching(/exited|out-of-memory/) })
  await expect(call(host, "endless", door.url)).rejects.toMatchObject({ name: "UnavailableError" })
})

async function started(options: Partial<FunctionHostOptions> = {}) {
  // Functions call servers of the tests.
  const { host } = await startFunctionHost({ folder: null, functionNetwork: "host", ...options })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= host.close()
    return closed
  }
  onTestFinished(close)
  return { ...host, close }
}

/** Starts a server that answers nobody until it is opened. */
async function startDoor() {
  const knocked = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const server = createServer(async (_, response) => {
    knocked.resolve()
    await opened.promise
    response.end()
  })
  const url = await listenOnLoopback(server)
  onTestFinished(() => closeServer(server))
  return { url, knocked: knocked.promise, open: () => opened.resolve() }
}

function program(name: string, source: string): NewProgram {
  return {
    name,
    language: "node@24",
    handler: "main.handler",
    zip: zipSync({ "main.js": Buffer.from(source), "late.js": Buffer.from('module.exports = "late"') }),
    timeoutSeconds: 20,
    memoryMb: 128,
  }
}

/** Returns the answer, from JSON, or what became of the call. */
async function call(host: FunctionHost, name: string, event: unknown): Promise<unknown> {
  const called = await host.invoke(name, Buffer.from(JSON.stringify(event)), 60_000)
  return called.kind === "answered" ? JSON.parse(called.answer.toString()) : called
}
