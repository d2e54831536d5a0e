import { type Duplex, duplexPair } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import { expect, test } from "vitest"
import { encodeFrame, FrameReader } from "../frames.ts"
import { createCaller, MAX_WAITING_CALLS } from "./create-caller.ts"
import { MAX_MESSAGE_BYTES } from "./messages.ts"
import { MAX_CALLS_AT_ONCE, type Methods, serveCalls } from "./serve-calls.ts"

/** Far longer than any test. */
const TIMEOUT_MS = 60_000

function connected(methods: Methods, timeoutMs = TIMEOUT_MS) {
  const [near, far] = duplexPair()
  serveCalls(far, methods)
  return { call: createCaller(near, timeoutMs), near, far }
}

const messageOf = (promise: Promise<unknown>) => promise.catch((error: Error) => error.message)

test("each call gets its own answer, in whatever order they come, and of any length", async () => {
  const first = Promise.withResolvers<unknown>()
  const { call } = connected(
    new Map<string, (input: unknown) => Promise<unknown>>([
      ["wait", () => first.promise],
      ["echo", async (input) => input],
    ]),
  )
  const waiting = call("wait", null)
  const long = { text: "ä".repeat(300_000), list: [1, null, { __proto__: null }] }

  expect(await call("echo", long)).toEqual(long)
  first.resolve("late")
  expect(await waiting).toBe("late")
})

test("a call that is refused throws what the method threw, and the others go on", async () => {
  const { call } = connected(
    new Map([
      [
        "refuse",
        async () => {
          throw new TypeError("It is too large.")
        },
      ],
    ]),
  )

  await expect(call("refuse", null)).rejects.toMatchObject({ name: "TypeError", message: "It is too large." })
  await expect(call("unknown", null)).rejects.toMatchObject({ message: "There is no such method." })
})

test("a call throws when the process that answers ends, and so do later ones", async () => {
  const { call, near, far } = connected(new Map([["wait", () => new Promise(() => undefined)]]))
  const waiting = messageOf(call("wait", null))
  await nextTurn()
  far.destroy()
  near.destroy()

  expect(await waiting).toBe("The process that answers has ended.")
  expect(await messageOf(call("wait", null))).toBe("The process that answers has ended.")
})

test("a call that is not answered in time throws TimeoutError, and its late answer disturbs no other", async () => {
  const late = Promise.withResolvers<unknown>()
  const { call } = connected(
    new Map<string, (input: unknown) => Promise<unknown>>([
      ["wait", () => late.promise],
      ["echo", async (input) => input],
    ]),
    5,
  )

  await expect(call("wait", null)).rejects.toMatchObject({ name: "TimeoutError" })
  late.resolve("late")
  expect(await call("echo", 1)).toBe(1)
})

test("further calls are refused while too many wait, and not before", async () => {
  const answered = Promise.withResolvers<unknown>()
  const { call } = connected(new Map([["wait", () => answered.promise]]))
  const calls = Array.from({ length: MAX_WAITING_CALLS }, () => call("wait", null))

  expect(await messageOf(call("wait", null))).toBe("Too many calls are waiting.")
  answered.resolve("done")
  expect(new Set(await Promise.all(calls))).toEqual(new Set(["done"]))
  expect(await call("wait", null)).toBe("done")
})

test("a process that calls without end is read no further than it is answered", async () => {
  const answered = Promise.withResolvers<unknown>()
  let begun = 0
  const [near, far] = duplexPair()
  const wait = () => {
    begun++
    return answered.promise
  }
  serveCalls(far, new Map([["wait", wait]]))
  const flood = 3 * MAX_CALLS_AT_ONCE
  for (let id = 0; id < flood; id++) near.write(message({ id, method: "wait", input: null }))
  for (let turns = 0; turns < 100; turns++) await nextTurn()
  expect(begun).toBe(MAX_CALLS_AT_ONCE)

  answered.resolve(null)
  near.resume()
  await expect.poll(() => begun).toBe(flood)
})

test("calls that are large together are answered one after the other", async () => {
  const answers: (() => void)[] = []
  const wait = () => new Promise((resolve) => answers.push(() => resolve("done")))
  const [near, far] = duplexPair()
  serveCalls(far, new Map([["wait", wait]]), 1_000)
  const call = createCaller(near, TIMEOUT_MS)
  // The first is larger than what is allowed at a time.
  const calls = [1_200, 400, 400, 400].map((size) => call("wait", "x".repeat(size)))

  await expect.poll(() => answers.length).toBe(1)
  answers[0]?.()
  expect(await calls[0]).toBe("done")
  await expect.poll(() => answers.length).toBe(3)
  for (const answer of answers) answer()
  await expect.poll(() => answers.length).toBe(4)
  answers[3]?.()
  expect(await Promise.all(calls)).toEqual(["done", "done", "done", "done"])
})

test("a call throws if its answer is large and too many are not read, and later ones are answered", async () => {
  const answered = Promise.withResolvers<unknown>()
  const [near, far] = duplexPair()
  serveCalls(far, new Map([["wait", () => answered.promise]]), 200_000)
  const calls = Array.from({ length: 100 }, (_, id) => message({ id, method: "wait", input: null }))
  near.write(Buffer.concat(calls))
  for (let turns = 0; turns < 10; turns++) await nextTurn()
  answered.resolve("x".repeat(50_000))
  for (let turns = 0; turns < 10; turns++) await nextTurn()
  expect(far.writableLength).toBeLessThan(220_000)

  const reader = new FrameReader(MAX_MESSAGE_BYTES)
  const replies: string[] = []
  near.on("data", (chunk: Buffer) => {
    for (const { body } of reader.read(chunk) ?? []) replies.push(body.toString())
  })
  await expect.poll(() => replies.length).toBe(100)
  const refused = replies.filter((reply) => reply.includes("Too many answers are waiting to be read."))
  expect(refused.length).toBeGreaterThan(90)
  near.write(message({ id: 100, method: "wait", input: null }))
  await expect.poll(() => replies.at(-1)?.length).toBeGreaterThan(50_000)
})

test("a call or an answer that is too long is refused alone, and the others go on", async () => {
  const text = "x".repeat(MAX_MESSAGE_BYTES)
  const { call } = connected(
    new Map([
      ["long", async () => text],
      ["short", async () => "x"],
    ]),
  )

  await expect(call("short", text)).rejects.toMatchObject({ name: "TypeError" })
  expect(await messageOf(call("long", null))).toBe("The answer is too long.")
  expect(await call("short", null)).toBe("x")
})

test.each([
  ["no JSON", encodeFrame("M", Buffer.from("{"))],
  ["no call", message({ id: "1", method: "wait" })],
  ["longer than any call", Buffer.from([77, 255, 255, 255, 255])],
])("a message that is %s closes the channel", async (_, bytes) => {
  for (const listen of [
    (channel: Duplex) => serveCalls(channel, new Map()),
    (channel: Duplex) => createCaller(channel, TIMEOUT_MS),
  ]) {
    const [near, far] = duplexPair()
    listen(far)
    near.write(bytes)
    await expect.poll(() => far.destroyed).toBe(true)
  }
})

function message(content: object): Buffer {
  return encodeFrame("M", Buffer.from(JSON.stringify(content)))
}
