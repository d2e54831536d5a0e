import { createIdempotency, type HttpResult } from "@sealway/http"
import { ApiError } from "@sealway/kernel"
import { createMemoryTable } from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import { proxyEvent } from "../support/proxy-event.ts"

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const EVENT = proxyEvent({ method: "POST", path: "/apps", headers: { "idempotency-key": "key-1" } })
const UNKNOWN = { code: "idempotency-result-unknown" }

type RepetitionRules = Parameters<ReturnType<typeof createIdempotency>["run"]>[3]

/** A key, and requests that are sent with it. */
function setUp(rules: RepetitionRules = {}) {
  const clock = { ms: 1_700_000_000_000 }
  const wallClock = () => clock.ms
  const table = createMemoryTable({ wallClock })
  const idempotency = createIdempotency(table, wallClock)
  let executed = 0
  const run = (answer: (execution: number) => Promise<HttpResult>, changed: RepetitionRules = rules) =>
    idempotency.run(EVENT, "swk_sandbox_secret", () => answer(++executed), changed)
  return {
    clock,
    table,
    executed: () => executed,
    run,
    answer: (changed?: RepetitionRules) =>
      run(async (execution) => ({ statusCode: 201, body: String(execution) }), changed),
    fail: (error: Error) => expect(run(() => Promise.reject(error))).rejects.toBe(error),
    /** Sends a request whose process dies, and waits until its time is over. */
    async die() {
      await new Promise<void>((resolve) => {
        void run(() => {
          resolve()
          return new Promise(() => undefined)
        })
      })
      clock.ms += MINUTE_MS
    },
  }
}

describe("an answer", () => {
  test("is given again with its status, headers and body, marked as a repetition", async () => {
    for (const [given, stored] of [
      [{ body: "text" }, { body: "text", isBase64Encoded: false }],
      [
        { body: "AAE=", isBase64Encoded: true },
        { body: "AAE=", isBase64Encoded: true },
      ],
      [{ bodyBytes: Buffer.from("né") }, { body: "né", isBase64Encoded: false }],
      [{ bodyBytes: Buffer.of(0xff, 1) }, { body: "/wE=", isBase64Encoded: true }],
      [{}, { body: "", isBase64Encoded: false }],
    ] as const) {
      const { run } = setUp()
      const send = () => run(async () => ({ statusCode: 202, headers: { location: "/x" }, ...given }))
      const first = { statusCode: 202, headers: { location: "/x" }, ...stored }
      expect(await send()).toEqual(first)
      const headers = { location: "/x", "idempotency-replayed": "true" }
      expect(await send()).toEqual({ ...first, headers })
    }
  })

  test("is given again without the fields that are not stored", async () => {
    const { run } = setUp({ unkept: ["secret"] })
    const send = () => run(async () => ({ statusCode: 201, body: '{"id":1,"secret":"s"}' }))
    expect((await send()).body).toBe('{"id":1,"secret":"s"}')
    expect((await send()).body).toBe('{"id":1}')
  })

  test("that is not stored, or is too large, is computed again at once, unless it must happen once", async () => {
    const large = async () => ({ statusCode: 200, body: "x".repeat(384 * 1024) })
    const { answer, run, executed } = setUp()
    await answer({ unkept: "all" })
    await run(large)
    await run(large)
    expect(executed()).toBe(3)
    // As long as an item may be, and no longer, sealed too.
    const mostCharacters = 384 * 1024 - 200
    const most = async () => ({ statusCode: 200, body: "x".repeat(mostCharacters) })
    await run(most)
    await run(most)
    expect(executed()).toBe(4)
    for (const rules of [{ isOnce: true, unkept: "all" }, { isOnce: true }] as const) {
      const once = setUp(rules)
      await once.run(large)
      await expect(once.answer()).rejects.toMatchObject(UNKNOWN)
      expect(once.executed()).toBe(1)
    }
  })

  test("belongs to the headers on which its request depends", async () => {
    const { answer } = setUp()
    await answer({ headers: { role: "a" } })
    expect(await answer({ headers: { role: "a" } })).toMatchObject({ body: "1" })
    const reused = { code: "idempotency-key-reused" }
    await expect(answer({ headers: { role: "b" } })).rejects.toMatchObject(reused)
  })
})

describe("a request that is repeated", () => {
  test("while the first one is in progress, is told to come back in a second", async () => {
    const { run, answer } = setUp()
    void run(() => new Promise(() => undefined))
    await expect
      .poll(() => answer().catch((error: unknown) => error))
      .toMatchObject({ code: "conflict", headers: { "retry-after": "1" } })
  })

  test("after it died twenty times, is not executed any more", async () => {
    const { die, answer, executed } = setUp()
    for (let attempt = 1; attempt <= 20; attempt++) await die()
    await expect(answer()).rejects.toMatchObject(UNKNOWN)
    expect(executed()).toBe(20)
  })

  test("after it died nineteen times, is", async () => {
    const { die, answer } = setUp()
    for (let attempt = 1; attempt <= 19; attempt++) await die()
    expect(await answer()).toMatchObject({ body: "20" })
  })

  test("after it was refused any number of times, is a new one each time", async () => {
    const { fail, answer } = setUp()
    const refusal = new ApiError("conflict", "Not now.")
    for (let attempt = 1; attempt <= 25; attempt++) await fail(refusal)
    expect(await answer()).toMatchObject({ body: "26" })
  })

  test("after it failed, is executed at once, as another attempt of the same", async () => {
    const { fail, answer, executed } = setUp()
    for (let attempt = 1; attempt <= 20; attempt++) {
      await fail(attempt % 2 === 0 ? new Error("It failed") : new ApiError("service-unavailable", "Later."))
    }
    await expect(answer()).rejects.toMatchObject(UNKNOWN)
    expect(executed()).toBe(20)
  })

  test("when the first attempt's records may be forgotten during it, a minute before a day, is not executed", async () => {
    for (const [ms, isExecuted] of [
      [DAY_MS - MINUTE_MS - 1, true],
      [DAY_MS - MINUTE_MS, false],
    ] as const) {
      const { clock, die, answer } = setUp()
      const begunAt = clock.ms
      await die()
      clock.ms += 12 * 60 * MINUTE_MS
      // Its record is kept for another day.
      await die()
      clock.ms = begunAt + ms
      if (isExecuted) expect(await answer()).toMatchObject({ body: "3" })
      else await expect(answer()).rejects.toMatchObject(UNKNOWN)
    }
  })

  test("has attempts that name no more than 128 characters of their requests' ids", async () => {
    const { table, fail } = setUp()
    const { requestId } = EVENT.requestContext
    EVENT.requestContext.requestId = "r".repeat(200)
    await fail(new Error("It failed"))
    EVENT.requestContext.requestId = requestId
    const [record] = table.items.values()
    expect(record?.attempts).toEqual([{ at: 1_700_000_000_000, requestId: "r".repeat(128) }])
  })
})
