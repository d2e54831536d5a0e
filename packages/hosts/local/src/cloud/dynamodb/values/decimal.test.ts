import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { addDecimals, compareDecimals, formatDecimal, parseDecimal } from "./decimal.ts"

const normalized = (text: string) => formatDecimal(parseDecimal(text))

/** Numbers of up to 30 digits. */
const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: -60, max: 60 }))
  .map(([digits, exponent]) => `${digits}e${exponent}`)

describe("a number", () => {
  test.each([
    ["0", "0"],
    ["-0.00e5", "0"],
    ["0e999999", "0"],
    ["+1", "1"],
    ["007", "7"],
    ["1.", "1"],
    [".5", "0.5"],
    ["-1.50", "-1.5"],
    ["1e3", "1000"],
    ["1.25E+1", "12.5"],
    ["100e-4", "0.01"],
    [`1${"0".repeat(125)}`, `1${"0".repeat(125)}`],
    ["9e125", `9${"0".repeat(125)}`],
    ["1e-130", `0.${"0".repeat(129)}1`],
    [`${"9".repeat(38)}000`, `${"9".repeat(38)}000`],
  ])("is normalised: %s as %s", (text, form) => {
    expect(normalized(text)).toBe(form)
    expect(normalized(form)).toBe(form)
  })

  test.each([
    "",
    "-",
    ".",
    "e5",
    "1e",
    "1e1.5",
    "one",
    "0x10",
    "1_000",
    " 1",
    "1 ",
    "1,5",
    "--1",
    "NaN",
    "Infinity",
    "1e9999999",
  ])("is refused with InvalidRecordError when it is %j", (text) =>
    expect(() => parseDecimal(text)).toThrow(expect.objectContaining({ name: "InvalidRecordError" })),
  )

  test.each([
    ["larger than 9.99…e125", "1e126"],
    ["smaller than 1e-130", "1e-131"],
    ["of more than 38 digits", `1${"0".repeat(37)}1`],
    ["written with more than a thousand characters", "0".repeat(1001)],
  ])("is refused with InvalidRecordError when it is %s", (_, text) => {
    expect(() => parseDecimal(text)).toThrow(expect.objectContaining({ name: "InvalidRecordError" }))
    expect(() => parseDecimal(`-${text}`)).toThrow(expect.objectContaining({ name: "InvalidRecordError" }))
  })

  test("keeps its value when normalised", () => {
    fc.assert(
      fc.property(decimals, (text) => {
        expect(compareDecimals(parseDecimal(text), parseDecimal(normalized(text)))).toBe(0)
      }),
    )
  })
})

describe("counting", () => {
  test("refuses a sum with more than 38 digits", () => {
    expect(() => addDecimals(parseDecimal("1e38"), parseDecimal("1"))).toThrow(
      expect.objectContaining({ name: "InvalidRecordError" }),
    )
    expect(formatDecimal(addDecimals(parseDecimal("1e37"), parseDecimal("1")))).toBe(`1${"0".repeat(36)}1`)
  })

  test("subtracts what it added, and sorts sums like their parts", () => {
    const small = fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((digits) => `${digits / 1000}`)
    fc.assert(
      fc.property(small, small, (left, right) => {
        const [a, b] = [parseDecimal(left), parseDecimal(right)]
        const sum = addDecimals(a, b)
        expect(addDecimals(sum, { ...b, digits: -b.digits })).toEqual(a)
        expect(Math.sign(compareDecimals(sum, a))).toBe(Math.sign(compareDecimals(b, parseDecimal("0"))))
      }),
    )
  })

  test("sorts numbers as JavaScript does, as far as that is exact", () => {
    const numbers = fc.integer({ min: -(2 ** 40), max: 2 ** 40 })
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(compareDecimals(parseDecimal(String(a)), parseDecimal(String(b)))).toBe(Math.sign(a - b))
      }),
    )
  })
})
