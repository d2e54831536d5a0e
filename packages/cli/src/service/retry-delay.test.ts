import { describe, expect, test } from "vitest"
import { retryDelayMs } from "./retry-delay.ts"

const NOW = Date.UTC(2026, 0, 31, 12)
const busy = (retryAfter?: string, status = 503) =>
  new Response(null, { status, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } })

describe("the delay before a retry", () => {
  test.each([
    ["seconds", "7", 7_000],
    ["none", "0", 0],
    ["a date", "Sat, 31 Jan 2026 12:00:05 GMT", 5_000],
    ["a date that has passed", "Sat, 31 Jan 2026 11:00:00 GMT", 0],
    ["exactly the most that is waited for", "30", 30_000],
  ])("is what the service asks for: %s", (_what, retryAfter, delayMs) => {
    expect(retryDelayMs(busy(retryAfter), 1, NOW)).toBe(delayMs)
    expect(retryDelayMs(busy(retryAfter, 429), 1, NOW)).toBe(delayMs)
  })

  test("doubles from half a second when the service asks for none", () => {
    expect([1, 2, 3].map((attempt) => retryDelayMs(busy(), attempt, NOW))).toEqual([500, 1_000, 2_000])
  })

  test("is half a second when the service asks for an invalid time", () => {
    expect(retryDelayMs(busy("soon"), 1, NOW)).toBe(500)
  })

  test("is absent when the service asks for more than 30 seconds", () => {
    expect(retryDelayMs(busy("31"), 1, NOW)).toBeNull()
  })

  test.each([400, 401, 404, 500, 502, 504])("is absent for status %i", (status) => {
    expect(retryDelayMs(busy("1", status), 1, NOW)).toBeNull()
  })

  test("is what a conflict asks for while the same call is in progress, and absent for other conflicts", () => {
    expect(retryDelayMs(busy("1", 409), 1, NOW)).toBe(1_000)
    expect(retryDelayMs(busy(undefined, 409), 1, NOW)).toBeNull()
  })
})
