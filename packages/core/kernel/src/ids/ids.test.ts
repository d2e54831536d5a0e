import { describe, expect, test } from "vitest"
import { createId, idsFrom, isId, timeOfId } from "./ids.ts"

describe("an id", () => {
  test("starts with what it names, and is unique", () => {
    const ids = Array.from({ length: 1000 }, () => createId("app", 0))
    expect(new Set(ids).size).toBe(1000)
    expect(ids.every((id) => /^app_0{10}[0-9a-hjkmnp-tv-z]{16}$/.test(id) && isId("app", id))).toBe(true)
  })

  test("sorts by its time of creation", () => {
    const times = [0, 1, 31, 32, 1_024, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1]
    const ids = times.map((timeMs) => createId("app", timeMs))
    expect(ids.toSorted()).toEqual(ids)
  })

  test("reveals its time of creation, and sorts between the bounds of that time", () => {
    for (const timeMs of [0, 1, 31, 32, 1_700_000_000_000, 2 ** 48 - 1]) {
      const id = createId("access", timeMs)
      expect(timeOfId("access", id)).toBe(timeMs)
      expect(idsFrom("access", timeMs) < id).toBe(true)
      expect(id < idsFrom("access", timeMs + 1)).toBe(true)
    }
  })

  test.each(["", "access_", "access_012345678", "access_01234u6789abcdef"])("has no time in %j", (text) => {
    expect(timeOfId("access", text)).toBeNull()
  })

  test.each([
    "",
    "app_",
    "team_0123456789abcdef",
    "app_short",
    "app_0123456789abcde/",
    "app_0123456789ABCDEF",
  ])("is not recognised in %j", (text) => {
    expect(isId("app", text)).toBe(false)
  })
})
