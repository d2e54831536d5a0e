import type { FunctionHost, Invocation, Language, NewProgram } from "@sealway/ports"
import { MAX_EVENT_BYTES } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { zipOf } from "../lambda/local-host.ts"
import { type AwsUnderTest, SET_UP_TIMEOUT_MS, uniqueName } from "./service-under-test.ts"

export interface HostUnderTest {
  readonly host: FunctionHost
  close(): unknown
}

/** One program in each language, which does what its event says. */
const SOURCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "node@24": {
    "main.mjs": `
      let calls = 0
      export const handler = async ({ action, value }) => {
        calls += 1
        if (action === "count") return calls
        if (action === "throw") throw new RangeError("out of range")
        if (action === "exit") process.exit(value)
        if (action === "sleep") await new Promise((resolve) => setTimeout(resolve, 60_000))
        if (action === "repeat") return "x".repeat(value)
        if (action === "print") console.log(value)
        if (action === "fill") for (const all = []; ; ) all.push(Buffer.alloc(1e6, 1))
        return value
      }`,
    "broken.mjs": "export const handler = (",
  },
  "python@3.13": {
    "main.py": `
import os, time
calls = 0
def handler(event, context):
    global calls
    calls += 1
    action, value = event.get("action"), event.get("value")
    if action == "count":
        return calls
    if action == "throw":
        raise ValueError("out of range")
    if action == "exit":
        os._exit(value)
    if action == "sleep":
        time.sleep(60)
    if action == "repeat":
        return "x" * value
    if action == "print":
        print(value)
    if action == "fill":
        everything = []
        while True:
            everything.append(bytearray(b"x") * 1000000)
    return value`,
    "broken.py": "def handler(",
  },
}
const LIMIT_MS = 60_000
const NODE = "node@24"

/** Creates a host on Lambda. */
export async function startLambda({ region, endpoint, ...options }: AwsUnderTest): Promise<HostUnderTest> {
  const { openFunctionHost, destroy } = createAwsClients(
    { region, endpoints: { lambda: endpoint, logs: endpoint } },
    options,
  )
  const roleArn = process.env.SEALWAY_CONTRACT_LAMBDA_ROLE_ARN ?? "arn:aws:iam::000000000000:role/function"
  const host = openFunctionHost({ prefix: "", roleArn, logRetentionDays: 1, logKeyArn: null, tags: {} })
  return { host, close: destroy }
}

/**
 * What a host of functions promises, wherever it is.
 *
 * @param place `of one machine`
 * @param isEmulated MiniStack limits neither memory nor answers, tells no failed start from another failure, gives
 * no pages of logs, and checks no files in zips
 */
export function describeFunctionHost(
  place: string,
  start: () => Promise<HostUnderTest>,
  isEmulated = false,
): void {
  describe(`a function host ${place}`, () => {
    let under: HostUnderTest
    let host: FunctionHost
    const made: string[] = []
    const shared = new Map<Language, string>()

    beforeAll(async () => {
      under = await start()
      host = under.host
      for (const language of ["node@24", "python@3.13"] as const) shared.set(language, await create(language))
    }, SET_UP_TIMEOUT_MS)
    afterAll(async () => {
      for (const name of made) await host.remove(name)
      await under.close()
    }, SET_UP_TIMEOUT_MS)

    function program(language: Language, changes: Partial<NewProgram> = {}): NewProgram {
      const zip = zipOf(SOURCES[language] ?? {})
      const name = uniqueName()
      return { name, language, zip, handler: "main.handler", timeoutSeconds: 20, memoryMb: 128, ...changes }
    }

    const untilActive = (name: string) =>
      vi.waitFor(async () => expect(await host.stateOf(name)).toBe("active"), SET_UP_TIMEOUT_MS)

    /** Creates a program, and waits until it can be called. */
    async function create(language: Language, changes: Partial<NewProgram> = {}): Promise<string> {
      const wanted = program(language, changes)
      await host.create(wanted)
      made.push(wanted.name)
      await untilActive(wanted.name)
      return wanted.name
    }

    const call = (name: string, event: unknown, limitMs = LIMIT_MS, signal?: AbortSignal) =>
      host.invoke(name, Buffer.from(JSON.stringify(event)), limitMs, signal)
    const answerOf = (called: Invocation) =>
      called.kind === "answered" ? JSON.parse(called.answer.toString()) : called

    describe.each(["node@24", "python@3.13"] as const)("with a program in %s", (language) => {
      const callShared = (event: unknown) => call(shared.get(language) ?? "", event)

      test.each([null, 1.5, "é\u{1f600}", [{ a: [] }], { "": true }])("passes on %j", async (value) => {
        expect(answerOf(await callShared({ value }))).toEqual(value)
      })

      test("keeps its process for the next call", async () => {
        const name = await create(language)
        expect(answerOf(await call(name, { action: "count" }))).toBe(1)
        expect(answerOf(await call(name, { action: "count" }))).toBe(2)
      })

      test.each([
        ["throws", { action: "throw" }],
        ["exits", { action: "exit", value: 4 }],
      ])("says that a process that %s has exited, and calls it again", async (_, event) => {
        expect(await callShared(event)).toEqual({ kind: "exited" })
        expect(answerOf(await callShared({ value: 1 }))).toBe(1)
      })

      test.skipIf(isEmulated)("stops a process that exceeds its memory, and calls it again", async () => {
        expect(await callShared({ action: "fill" })).toEqual({ kind: "out-of-memory" })
        expect(answerOf(await callShared({ value: 1 }))).toBe(1)
      })

      test("stops it past its own time", async () => {
        const name = await create(language, { timeoutSeconds: 1 })
        expect(await call(name, { action: "sleep" })).toEqual({ kind: "timed-out", isStopped: true })
      })

      test.skipIf(isEmulated).each([
        ["a module that is not there", "nothing.handler"],
        ["a module that is not of its language", "broken.handler"],
        ["a function that is not there", "main.nothing"],
      ])("says that it cannot be initialised with %s", async (_, handler) => {
        expect(await call(await create(language, { handler }), {})).toEqual({ kind: "not-initialised" })
      })

      test("passes on an answer of six megabytes", async () => {
        const bytes = MAX_EVENT_BYTES - 2
        expect(answerOf(await callShared({ action: "repeat", value: bytes }))).toHaveLength(bytes)
      })

      test.skipIf(isEmulated)("says when an answer has more than six megabytes", async () => {
        const larger = await callShared({ action: "repeat", value: MAX_EVENT_BYTES + 200 })
        expect(larger).toEqual({ kind: "answer-too-large" })
      })

      test.skipIf(isEmulated)(
        "keeps what it prints in order, in pages",
        { timeout: SET_UP_TIMEOUT_MS },
        async () => {
          const name = await create(language)
          const texts = ["first é", "second", "third"]
          for (const value of texts) await call(name, { action: "print", value })
          const printed = async () => {
            const messages: string[] = []
            let after: string | null = null
            do {
              const page = await host.logs(name, 0, 2, after)
              expect(page?.lines.length).toBeLessThanOrEqual(2)
              messages.push(...(page?.lines ?? []).map(({ message }) => message))
              after = page?.next ?? null
            } while (after !== null)
            return messages.filter((message) => texts.includes(message))
          }
          await expect.poll(printed, { timeout: SET_UP_TIMEOUT_MS / 2, interval: 500 }).toEqual(texts)
          expect((await host.logs(name, Date.now() + 60_000, 10, null))?.lines).toEqual([])
        },
      )
    })

    test("does not wait for a call past its limit, or when nobody wants it any more", async () => {
      const name = shared.get(NODE) ?? ""
      const left = { kind: "timed-out", isStopped: false }
      expect(await call(name, { action: "sleep" }, 50)).toEqual(left)
      const unwanted = new AbortController()
      const called = call(name, { action: "sleep" }, LIMIT_MS, unwanted.signal)
      unwanted.abort()
      expect(await called).toEqual(left)
      expect(await call(name, { value: 1 }, LIMIT_MS, unwanted.signal)).toEqual(left)
    })

    test("accepts an event of six megabytes, and refuses a larger one", async () => {
      const name = shared.get(NODE) ?? ""
      const sized = (bytes: number) => ({ none: "x".repeat(bytes - '{"none":""}'.length) })
      expect((await call(name, sized(MAX_EVENT_BYTES))).kind).toBe("answered")
      expect(await call(name, sized(MAX_EVENT_BYTES + 1))).toEqual({ kind: "payload-too-large" })
    })

    test("changes nothing of a program that exists", async () => {
      const name = await create(NODE)
      await host.create(program(NODE, { name, zip: zipOf({ "main.mjs": "export const handler = () => 2" }) }))
      expect(answerOf(await call(name, { value: 1 }))).toBe(1)
    })

    test("creates a program once when it is asked twice at once", async () => {
      const wanted = program(NODE)
      await Promise.all([host.create(wanted), host.create(wanted)])
      made.push(wanted.name)
      await untilActive(wanted.name)
    })

    const source = { "main.mjs": "export const handler = () => 1" }
    const damaged: [string, Uint8Array][] = [
      ["bytes that are no zip", Buffer.from("no zip")],
      ["a zip that was cut", zipOf(source).subarray(0, 60)],
    ]
    if (!isEmulated) damaged.push(["a zip whose file was changed", changed(zipOf(source))])
    test.each(damaged)("refuses %s with RefusedProgramError, and has no such program", async (_, zip) => {
      const wanted = program(NODE, { zip })
      await expect(host.create(wanted)).rejects.toMatchObject({ name: "RefusedProgramError" })
      expect(await host.stateOf(wanted.name)).toBe("absent")
    })

    test("forgets a program and its log when it is removed, and may create another with its name", async () => {
      const name = await create(NODE)
      await call(name, { action: "print", value: "printed" })
      await host.remove(name)
      expect([await host.stateOf(name), await call(name, {})]).toEqual(["absent", { kind: "absent" }])
      expect(await host.logs(name, 0, 10, null)).toEqual({ lines: [], next: null })
      await create("python@3.13", { name })
      expect(answerOf(await call(name, { value: 1 }))).toBe(1)
    })

    test("has nothing of a program that never was, and removes it", async () => {
      const name = uniqueName()
      await host.remove(name)
      expect([await host.stateOf(name), await call(name, {})]).toEqual(["absent", { kind: "absent" }])
      expect(await host.logs(name, 0, 10, null)).toEqual({ lines: [], next: null })
    })

    test.skipIf(isEmulated)("has no page of a log by what is no cursor", async () => {
      const name = shared.get(NODE) ?? ""
      await call(name, { action: "print", value: "printed" })
      expect(await host.logs(name, 0, 10, "no cursor")).toBeNull()
    })
  })
}

/** Returns the zip with one bit of its packed content changed. */
function changed(zip: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(zip)
  copy[45] = (copy[45] ?? 0) ^ 1
  return copy
}
