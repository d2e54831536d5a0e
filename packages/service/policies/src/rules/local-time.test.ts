import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isTimeZone, localTime } from "./local-time.ts"

describe("a time zone", () => {
  test.each(["UTC", "Europe/Dublin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "america/new_york"])(
    "is accepted when the database has it: %s",
    (name) => expect(isTimeZone(name)).toBe(true),
  )

  test.each([
    "",
    "+01:00",
    "Europe/Atlantis",
    "Europe/Dublin ",
    "../etc/passwd",
    "UTC\u0000",
    "a".repeat(100),
    "__proto__",
  ])("is refused when the database does not have it: %j", (name) => {
    expect(isTimeZone(name)).toBe(false)
    expect(localTime(0, name)).toBeNull()
  })
})

describe("local time", () => {
  test("is UTC in the zone UTC", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(2100, 0) }), (timeMs) => {
        const at = new Date(timeMs)
        expect(localTime(timeMs, "UTC")).toEqual({
          minuteOfDay: at.getUTCHours() * 60 + at.getUTCMinutes(),
          weekday: at.getUTCDay() || 7,
        })
      }),
    )
  })

  test("shows midnight as the first minute, not as the last", () => {
    expect(localTime(Date.parse("2026-01-04T23:00:00Z"), "Europe/Paris")).toEqual({
      minuteOfDay: 0,
      weekday: 1,
    })
    expect(localTime(Date.parse("2026-01-04T22:59:59Z"), "Europe/Paris")).toEqual({
      minuteOfDay: 1439,
      weekday: 7,
    })
  })
})
