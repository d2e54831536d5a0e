import { describe, expect, test } from "vitest"
import { statsRangeOf } from "./stats-range.ts"

const NOW_MS = Date.UTC(2026, 2, 2, 12, 34, 56)
const DAY_MS = 86_400_000

describe("a range of figures", () => {
  test("ends with the current interval and has 60 minutes, 24 hours or 30 days when nothing is given", () => {
    expect(statsRangeOf("minute", {}, NOW_MS)).toEqual({
      fromMs: Date.UTC(2026, 2, 2, 11, 35),
      toMs: Date.UTC(2026, 2, 2, 12, 35),
    })
    expect(statsRangeOf("hour", {}, NOW_MS)).toEqual({
      fromMs: Date.UTC(2026, 2, 1, 13),
      toMs: Date.UTC(2026, 2, 2, 13),
    })
    expect(statsRangeOf("day", {}, NOW_MS)).toEqual({
      fromMs: Date.UTC(2026, 1, 1),
      toMs: Date.UTC(2026, 2, 3),
    })
  })

  test("is widened to whole intervals, and does not include one that begins where it ends", () => {
    const from = Date.UTC(2026, 2, 1, 3, 30)
    expect(statsRangeOf("hour", { from, to: Date.UTC(2026, 2, 1, 5) }, NOW_MS)).toEqual({
      fromMs: Date.UTC(2026, 2, 1, 3),
      toMs: Date.UTC(2026, 2, 1, 5),
    })
    expect(statsRangeOf("hour", { from, to: Date.UTC(2026, 2, 1, 5) + 1 }, NOW_MS).toMs).toBe(
      Date.UTC(2026, 2, 1, 6),
    )
  })

  test("may have 360 minutes, 336 hours or 366 days, and is refused when it has one more", () => {
    const to = Date.UTC(2026, 2, 2)
    for (const [interval, longestMs] of [
      ["minute", DAY_MS / 4],
      ["hour", 14 * DAY_MS],
      ["day", 366 * DAY_MS],
    ] as const) {
      expect(statsRangeOf(interval, { from: to - longestMs, to }, NOW_MS).toMs).toBe(to)
      expect(() => statsRangeOf(interval, { from: to - longestMs - 1, to }, NOW_MS)).toThrow(
        expect.objectContaining({ code: "invalid-request" }),
      )
    }
  })

  test("is refused when it ends before it begins, or begins in the future", () => {
    for (const given of [{ from: 2, to: 2 }, { from: 3, to: 2 }, { from: NOW_MS }]) {
      expect(() => statsRangeOf("day", given, NOW_MS)).toThrow(
        expect.objectContaining({
          code: "invalid-request",
          fields: [{ pointer: "/query/from", reason: expect.stringMatching(/^This must be before /) }],
        }),
      )
    }
  })
})
