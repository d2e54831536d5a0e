import { createIdempotency } from "@sealway/http"
import { createMemoryTable } from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import { proxyEvent } from "../support/proxy-event.ts"

const MINUTE_MS = 60_000
const EVENT = proxyEvent({ method: "POST", path: "/apps", headers: { "idempotency-key": "key-1" } })

/** Requests that repeat one another, and end when the test says so. */
function setUp() {
  const clock = { ms: 1_700_000_000_000 }
  const wallClock = () => clock.ms
  const table = createMemoryTable({ wallClock })
  let idempotency = createIdempotency(table, wallClock)
  const startProcess = (lockHolder: string | null) => {
    idempotency = createIdempotency(table, wallClock, null, lockHolder)
  }
  let executed = 0
  /** @param until resolves when the request ends */
  const send = (until: Promise<unknown> = Promise.resolve()) =>
    idempotency.run(EVENT, "swk_sandbox_secret", async () => {
      const body = String(++executed)
      await until
      return { statusCode: 201, body }
    })
  /** Starts a request and waits until it is in progress. */
  const begin = async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = executed
    const answer = send(promise)
    await expect.poll(() => executed).toBe(before + 1)
    return { answer, end: resolve }
  }
  return { clock, startProcess, send, begin, executed: () => executed }
}

describe("a request in progress", () => {
  test("locks its key for a minute, and not a millisecond less", async () => {
    const { clock, send, begin, executed } = setUp()
    await begin()
    clock.ms += MINUTE_MS - 1
    await expect(send()).rejects.toMatchObject({ code: "conflict" })
    expect(executed()).toBe(1)
  })

  test("is given up after a minute: its repetition is executed", async () => {
    const { clock, send, begin, executed } = setUp()
    await begin()
    clock.ms += MINUTE_MS
    expect(await send()).toMatchObject({ statusCode: 201, body: "2" })
    expect(executed()).toBe(2)
  })

  test("is given up at once when it died with the only process, and not when others may be alive", async () => {
    const { startProcess, send, begin } = setUp()
    startProcess("first")
    await begin()
    await expect(send()).rejects.toMatchObject({ code: "conflict" })
    startProcess(null)
    await expect(send()).rejects.toMatchObject({ code: "conflict" })
    startProcess("second")
    expect(await send()).toMatchObject({ statusCode: 201, body: "2" })
  })

  test("locks its key for a full minute again when it follows one that died", async () => {
    const { clock, send, begin } = setUp()
    await begin()
    clock.ms += MINUTE_MS
    await begin()
    clock.ms += MINUTE_MS - 1
    await expect(send()).rejects.toMatchObject({ code: "conflict" })
    clock.ms += 1
    expect(await send()).toMatchObject({ body: "3" })
  })

  test("does not replace the stored answer when it ends after it was given up", async () => {
    const { clock, send, begin } = setUp()
    const late = await begin()
    clock.ms += MINUTE_MS
    await send()
    late.end()
    expect(await late.answer).toMatchObject({ body: "1" })
    expect(await send()).toMatchObject({ body: "2", headers: { "idempotency-replayed": "true" } })
  })
})
