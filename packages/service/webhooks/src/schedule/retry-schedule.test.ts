import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseRetryAfter, RETRY_SCHEDULE, waitAfter } from "./retry-schedule.ts"

const SECOND_MS = 1_000
const HOUR_MS = 3_600 * SECOND_MS
const NOW_MS = Date.parse("2026-01-02T03:04:05Z")
const ATTEMPTS = 8

const waits = (random: number, retryAfterMs: number | null = null) =>
  Array.from(
    { length: ATTEMPTS - 1 },
    (_, index) => waitAfter(RETRY_SCHEDULE, index + 1, retryAfterMs, random) ?? -1,
  )
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

describe("the retry schedule", () => {
  test("has 8 attempts over about 10 hours, each wait longer than the previous one", () => {
    expect(sum(waits(0.5)) / HOUR_MS).toBeCloseTo(10.1, 1)
    expect(waits(0.5)).toEqual(waits(0.5).toSorted((left, right) => left - right))
    expect(waitAfter(RETRY_SCHEDULE, ATTEMPTS, null, 0.5)).toBeNull()
    expect(waitAfter(RETRY_SCHEDULE, ATTEMPTS, HOUR_MS, 0.5)).toBeNull()
  })

  test("makes each wait up to a fifth longer or shorter", () => {
    const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(draw, fc.integer({ min: 1, max: ATTEMPTS - 1 }), (random, attempts) => {
        const waitMs = waitAfter(RETRY_SCHEDULE, attempts, null, random) ?? 0
        const plainMs = RETRY_SCHEDULE.waitsMs[attempts - 1] ?? 0
        expect(waitMs).toBeGreaterThanOrEqual(plainMs * 0.8)
        expect(waitMs).toBeLessThanOrEqual(plainMs * 1.2)
      }),
    )
    expect(waitAfter(RETRY_SCHEDULE, 1, null, 0)).toBe(8 * SECOND_MS)
    expect(waitAfter(RETRY_SCHEDULE, 1, null, 1 - Number.EPSILON)).toBe(12 * SECOND_MS)
  })

  test("is stretched by what a receiver asks for, within a limit, and never shortened", () => {
    expect(waits(0.5, 0)).toEqual(waits(0.5))
    expect(waits(0.5, 90 * SECOND_MS).slice(0, 3)).toEqual([90 * SECOND_MS, 90 * SECOND_MS, 300 * SECOND_MS])
    expect(sum(waits(1, Number.MAX_SAFE_INTEGER))).toBeLessThan(20 * HOUR_MS)
  })
})

describe("Retry-After", () => {
  test.each([
    ["0", 0],
    ["120", 120 * SECOND_MS],
    ["999999999", 999_999_999 * SECOND_MS],
    ["Fri, 02 Jan 2026 03:05:05 GMT", 60 * SECOND_MS],
    ["Friday, 02-Jan-26 03:05:05 GMT", 60 * SECOND_MS],
    ["Fri, 02 Jan 2026 03:04:00 GMT", 0],
  ])("is parsed as seconds or as a date: %s", (header, waitMs) => {
    expect(parseRetryAfter(header, NOW_MS)).toBe(waitMs)
  })

  test.each([
    undefined,
    null,
    "",
    " 1",
    "-1",
    "1.5",
    "1e9",
    "9999999999",
    "soon",
    "2026-01-02",
    "1, 2",
    ["1", "2"],
    "Fri, 1".padEnd(65, "1"),
  ])("counts as absent when it is malformed: %j", (header) =>
    expect(parseRetryAfter(header, NOW_MS)).toBeNull(),
  )

  test("gives a wait or nothing for any content", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.date().map((date) => (Number.isNaN(date.getTime()) ? "" : date.toUTCString())),
        ),
        (header) => {
          const waitMs = parseRetryAfter(header, NOW_MS)
          expect(waitMs === null || waitMs >= 0).toBe(true)
        },
      ),
    )
  })
})
