import { join } from "node:path"
import { runInNewContext } from "node:vm"
import { build } from "esbuild"
import { beforeAll, describe, expect, test } from "vitest"
import { ROOT } from "../support/start.ts"

const ORIGIN = "https://shop.example"
const START = { kind: "start" }

interface Started {
  /** Delivers a message, as the browser does. */
  deliver(message: object): Promise<void>
  readonly parent: object
  readonly result: { readonly received: unknown }
}

let script = ""
beforeAll(async () => {
  const entry = join(ROOT, "packages/clients/elements/src/frame/receive-start.ts")
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "frameScript",
    target: "es2022",
  })
  script = outputFiles[0]?.text ?? ""
})

/** Runs the source of a frame in a window that knows nothing but messages. */
function start(): Started {
  const listeners = new Set<(event: object) => void>()
  const parent = {}
  const frame = {
    parent,
    addEventListener: (_: string, listener: (event: object) => void) => listeners.add(listener),
    removeEventListener: (_: string, listener: (event: object) => void) => listeners.delete(listener),
  }
  const result = { received: null }
  const read = (value: unknown) => (JSON.stringify(value) === JSON.stringify(START) ? value : undefined)
  const code = `${script}; frameScript.receiveStart(frame, origins, read).then((got) => { result.received = got })`
  runInNewContext(code, { frame, origins: [ORIGIN], read, result })
  return {
    parent,
    result,
    async deliver(message) {
      for (const listener of listeners) listener(message)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

describe("a frame starts", () => {
  test("by the first good message of its own page, with its only port", async () => {
    const { deliver, parent, result } = start()
    await deliver({ source: parent, origin: ORIGIN, data: START, ports: ["port"] })
    expect(result.received).toEqual({ start: START, port: "port" })
    await deliver({ source: parent, origin: ORIGIN, data: START, ports: ["other"] })
    expect(result.received).toEqual({ start: START, port: "port" })
  })

  test.each([
    ["another window's, even of an allowed origin", { source: {} }],
    ["no window's", { source: null }],
    ["an origin that the app does not allow", { origin: "https://shop.example.evil" }],
    ["its page, with something else", { data: {} }],
    ["its page, without a port", { ports: [] }],
    ["its page, with two ports", { ports: ["port", "another"] }],
  ])("by no message of %s", async (_, wrong) => {
    const { deliver, parent, result } = start()
    const good = { source: parent, origin: ORIGIN, data: START, ports: ["port"] }
    await deliver({ ...good, ...wrong })
    expect(result.received).toBeNull()
    await deliver(good)
    expect(result.received).toEqual({ start: START, port: "port" })
  })
})
