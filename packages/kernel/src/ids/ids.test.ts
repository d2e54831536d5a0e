import { describe, expect, test } from "vitest"
import { createId, idsFrom, isId, timeOfId } from "./ids.ts"

describe("ids", () => {
  test("begin with what they name and are never the same twice", () => {
    const ids = Array.from({ length: 1000 }, () => createId("app", 0))
    expect(new Set(ids).size).toBe(1000)
    expect(ids.every((id) => /^app_0{10}[0-9a-hjkmnp-tv-z]{16}$/.test(id) && isId("app", id))).toBe(true)
  })

  test("sort by the time they were made at", () => {
    const times = [0, 1, 31, 32, 1_024, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1]
    const ids = times.map((timeMs) => createId("app", timeMs))
    expect(ids.toSorted()).toEqual(ids)
  })

  test("tell the time they were made at, and are bounded by it in their order", () => {
    for (const timeMs of [0, 1, 31, 32, 1_700_000_000_000, 2 ** 48 - 1]) {
      const id = createId("access", timeMs)
      expect(timeOfId("access", id)).toBe(timeMs)
      expect(idsFrom("access", timeMs) < id).toBe(true)
      expect(id < idsFrom("access", timeMs + 1)).toBe(true)
    }
  })

  test.each(["", "access_", "access_012345678", "access_01234u6789abcdef"])("tell no time in %j", (text) => {
    expect(timeOfId("access", text)).toBeNull()
  })

  test.each([
    "",
    "app_",
    "team_0123456789abcdef",
    "app_short",
    "app_0123456789abcde/",
    "app_0123456789ABCDEF",
  ])("are not recognised in %j", (text) => {
    expect(isId("app", text)).toBe(false)
  })
})
