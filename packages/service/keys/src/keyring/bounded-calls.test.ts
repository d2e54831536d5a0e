import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { createBoundedCalls } from "./bounded-calls.ts"

const LIMITS = { maxInFlight: 2, maxWaiting: 3, maxWaitMs: 1_000 }
const BUSY = { code: "service-unavailable", headers: { "retry-after": "1" } }

/** Makes calls that end when they are told to. */
function createCalls() {
  const calls = createBoundedCalls(LIMITS)
  const ends: (() => void)[] = []
  let started = 0
  const call = () =>
    calls(() => {
      started++
      return new Promise<number>((resolve) => ends.push(() => resolve(started)))
    })
  return { call, end: () => ends.shift()?.(), started: () => started }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe("bounded calls", () => {
  test("are in flight up to the limit; each that ends lets the one that waits longest start", async () => {
    const { call, end, started } = createCalls()
    const results = [1, 2, 3, 4].map(call)
    await vi.advanceTimersByTimeAsync(0)
    expect(started()).toBe(2)
    end()
    await vi.advanceTimersByTimeAsync(0)
    expect(started()).toBe(3)
    for (let ended = 0; ended < 3; ended++) {
      end()
      await vi.advanceTimersByTimeAsync(0)
    }
    await Promise.all(results)
    expect(started()).toBe(4)
  })

  test("are refused with service-unavailable at once when too many wait", async () => {
    const { call, started } = createCalls()
    for (let calls = 0; calls < LIMITS.maxInFlight + LIMITS.maxWaiting; calls++) call().catch(() => undefined)
    await expect(call()).rejects.toMatchObject(BUSY)
    expect(started()).toBe(2)
  })

  test("are refused with service-unavailable when they have waited for too long, and do not start later", async () => {
    const { call, end, started } = createCalls()
    const results = [1, 2, 3].map(call)
    const refused = expect(results[2]).rejects.toMatchObject(BUSY)
    await vi.advanceTimersByTimeAsync(LIMITS.maxWaitMs - 1)
    expect(started()).toBe(2)
    await vi.advanceTimersByTimeAsync(1)
    await refused
    end()
    end()
    await vi.advanceTimersByTimeAsync(0)
    expect(started()).toBe(2)
  })

  test("give their turn on when they fail, and pass the error on", async () => {
    const calls = createBoundedCalls({ ...LIMITS, maxInFlight: 1 })
    const failing = calls(() => Promise.reject(new RangeError("no")))
    const next = calls(async () => "next")
    await expect(failing).rejects.toThrow(RangeError)
    expect(await next).toBe("next")
  })
})
