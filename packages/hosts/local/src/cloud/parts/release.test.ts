import { describe, expect, test } from "vitest"
import { isLaterRelease, isRelease } from "./release.ts"

describe("a release is later than another", () => {
  test.each([
    ["0.3.0", "0.2.0"],
    ["0.10.0", "0.9.9"],
    ["1.0.0", "0.99.0"],
    ["10.0.0", "9.1.0"],
    ["0.3.0-rc.1", "0.2.7"],
  ])("when %s is compared with %s, and never the other way round", (later, earlier) => {
    expect(isLaterRelease(later, earlier)).toBe(true)
    expect(isLaterRelease(earlier, later)).toBe(false)
  })

  test.each([
    ["0.2.0", "0.2.0"],
    ["0.2.7", "0.2.0"],
    ["0.2.0-rc.1", "0.2.0"],
  ])("but not by its patch number: %s and %s", (left, right) => {
    expect(isLaterRelease(left, right)).toBe(false)
    expect(isLaterRelease(right, left)).toBe(false)
  })
})

test.each(["0.2.0", "10.20.30", "1.0.0-rc.1"])("recognises %s as a version", (text) => {
  expect(isRelease(text)).toBe(true)
})

test.each(["", "0.2", "v0.2.0", "0.2.0\n", " 0.2.0", "1e9.0.0", `0.2.0-${"a".repeat(65)}`, "0.2.0 <b>"])(
  "does not recognise %o as a version",
  (text) => {
    expect(isRelease(text)).toBe(false)
  },
)
