import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { BURST_SECONDS, TokenBucket } from "./token-bucket.ts"

describe("a token bucket", () => {
  test("holds ten seconds of its rate at first, and says how long to wait for more", () => {
    const bucket = new TokenBucket()
    expect(bucket.waitMs(1_000, 100, 5)).toBe(0)
    bucket.take(1_000)
    expect(bucket.waitMs(1, 100, 5)).toBe(10)
    expect(bucket.waitMs(50, 100, 5)).toBe(500)
    expect(bucket.waitMs(50, 100, 505)).toBe(0)
  })

  test("lets through more than it holds when it is full, and then fills up from below zero", () => {
    const bucket = new TokenBucket()
    expect(bucket.waitMs(2_500, 100, 0)).toBe(0)
    bucket.take(2_500)
    expect(bucket.waitMs(1, 100, 0)).toBe(15_010)
    expect(bucket.waitMs(2_500, 100, 0)).toBe(25_000)
  })

  test("refuses nothing to those who ask for nothing, even below zero", () => {
    const bucket = new TokenBucket()
    bucket.waitMs(0, 100, 0)
    bucket.take(5_000)
    expect(bucket.waitMs(0, 100, 0)).toBe(0)
  })

  test("follows its rate when that changes, and never holds more than ten seconds of it", () => {
    const bucket = new TokenBucket()
    bucket.waitMs(1, 100, 0)
    expect(bucket.state(10, 0)).toEqual({ available: 100, fullInSeconds: 0 })
    expect(bucket.state(100, 1_000)).toEqual({ available: 200, fullInSeconds: 8 })
    expect(bucket.state(100, 1_000_000).available).toBe(100 * BURST_SECONDS)
  })

  test("never lets through more than its rate and one burst, whatever is asked and when", () => {
    const asking = fc.array(fc.record({ amount: fc.nat(300), afterMs: fc.nat(2_000) }), { minLength: 1 })
    fc.assert(
      fc.property(asking, fc.integer({ min: 30, max: 90 }), (asked, perSecond) => {
        const bucket = new TokenBucket()
        let nowMs = 0
        let taken = 0
        for (const { amount, afterMs } of asked) {
          nowMs += afterMs
          const waitMs = bucket.waitMs(amount, perSecond, nowMs)
          if (waitMs > 0) {
            if (waitMs > 2) expect(bucket.waitMs(amount, perSecond, nowMs + waitMs - 2)).toBeGreaterThan(0)
            nowMs += waitMs
            expect(bucket.waitMs(amount, perSecond, nowMs)).toBe(0)
          }
          bucket.take(amount)
          taken += amount
          expect(taken).toBeLessThanOrEqual(perSecond * (BURST_SECONDS + nowMs / 1000) + 1e-3)
        }
      }),
    )
  })
})
