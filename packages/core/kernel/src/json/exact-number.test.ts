import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isExactNumber } from "./exact-number.ts"

describe("a number literal", () => {
  test.each([
    "0",
    "-0",
    "0.0",
    "0e999",
    "1",
    "-1.50",
    "1e3",
    "1E+3",
    "0.1",
    "123e-5",
    "9007199254740992",
    "5e-324",
  ])("is exact: %s", (literal) => {
    expect(isExactNumber(literal)).toBe(true)
  })

  test.each([
    "12345678901234567890",
    "9007199254740993",
    "0.1000000000000000055",
    "1e400",
    "-1e400",
    "1e-400",
    "1.7976931348623157e309",
  ])("is not exact: %s", (literal) => {
    expect(isExactNumber(literal)).toBe(false)
  })

  test("is exact in every spelling of a double by JSON.stringify", () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        expect(isExactNumber(JSON.stringify(value))).toBe(true)
      }),
    )
  })

  test("is exact with zeros around it, or with its point moved by the exponent", () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(20), fc.integer({ min: 0, max: 20 }), (value, zeros, shift) => {
        expect(isExactNumber(`${value}.${"0".repeat(zeros + 1)}`)).toBe(true)
        expect(isExactNumber(`${value}${"0".repeat(shift)}e-${shift}`)).toBe(true)
      }),
    )
  })
})
