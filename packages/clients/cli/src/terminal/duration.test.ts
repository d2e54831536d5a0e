import { describe, expect, test } from "vitest"
import { parseDurationMs, parseTime } from "./duration.ts"
import { UsageFailure } from "./failures.ts"

const NOW = Date.UTC(2026, 0, 31, 12)

describe("a time span", () => {
  test.each([
    ["90s", 90_000],
    ["15m", 900_000],
    ["24h", 86_400_000],
    ["30d", 2_592_000_000],
  ])("%s is %i ms", (text, durationMs) => {
    expect(parseDurationMs(text, "--overlap")).toBe(durationMs)
  })

  test.each(["", "24", "h", "-1h", "1.5h", "1w", "1h ", "9999999s"])("is refused: %j", (text) => {
    expect(() => parseDurationMs(text, "--overlap")).toThrow(UsageFailure)
  })
})

describe("a point in time", () => {
  test.each([
    ["2026-01-31", Date.UTC(2026, 0, 31)],
    ["2026-01-31T12:30Z", Date.UTC(2026, 0, 31, 12, 30)],
    ["2026-01-31T12:30:15.5+01:00", Date.UTC(2026, 0, 31, 11, 30, 15, 500)],
    ["2h", NOW - 7_200_000],
  ])("%s is accepted", (text, time) => {
    expect(parseTime(text, "--from", NOW, -1)).toBe(time)
  })

  test("is in the future for a span when requested", () => {
    expect(parseTime("2h", "--expires", NOW, 1)).toBe(NOW + 7_200_000)
  })

  test.each(["", "2026-01-31T12:30", "2026-13-01", "yesterday", "31.1.2026", "1769860800000"])(
    "is refused when machines elsewhere could read it differently or not at all: %j",
    (text) => {
      expect(() => parseTime(text, "--from", NOW, -1)).toThrow(UsageFailure)
    },
  )
})
