import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseCardNumber } from "./card-number.ts"

/** Appends the digit that makes digits pass the Luhn check. */
function withCheckDigit(digits: string): string {
  const found = [..."0123456789"].find((digit) => passesLuhn(digits + digit))
  return digits + (found ?? "")
}

/** The Luhn check in a different form: from the left, with a table of doubled digits. */
function passesLuhn(digits: string): boolean {
  const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    return total + (index % 2 === 1 ? (doubled[Number(digit)] ?? 0) : Number(digit))
  }, 0)
  return sum % 10 === 0
}

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length })

describe("a card number", () => {
  test.each([
    ["51", "mastercard"],
    ["2221", "mastercard"],
    ["2720", "mastercard"],
    ["34", "american-express"],
    ["37", "american-express"],
    ["6011", "discover"],
    ["644", "discover"],
    ["65", "discover"],
    ["300", "diners-club"],
    ["3095", "diners-club"],
    ["36", "diners-club"],
    ["39", "diners-club"],
    ["3528", "jcb"],
    ["3589", "jcb"],
    ["62", "unionpay"],
    ["81", "unionpay"],
    ["4", "visa"],
    ["5018", "maestro"],
    ["6759", "maestro"],
    ["6763", "maestro"],
    ["6771", "maestro"],
    ["5019", "dankort"],
  ])("that starts with %s is of brand %s", (prefix, brand) => {
    const number = withCheckDigit(prefix.padEnd(15, "0"))
    expect(parseCardNumber(number)).toEqual({ brand, bin: number.slice(0, 6), lastFour: number.slice(-4) })
  })

  test.each([
    "2220",
    "2721",
    "3527",
    "3590",
    "306",
    "3094",
    "50",
    "5021",
    "56",
    "6758",
    "6764",
    "643",
    "80",
    "0",
    "9",
  ])("that starts with %s has no known brand", (prefix) => {
    expect(parseCardNumber(withCheckDigit(prefix.padEnd(15, "0")))).toBeNull()
  })

  test("has 12 to 19 digits", () => {
    const lengths = Array.from({ length: 30 }, (_, length) => length + 1)
    const taken = lengths.filter((length) =>
      parseCardNumber(withCheckDigit("4".padEnd(length - 1, "2").slice(0, length - 1))),
    )
    expect(taken).toEqual([12, 13, 14, 15, 16, 17, 18, 19])
  })

  test("is accepted exactly when it passes the Luhn check", () => {
    fc.assert(
      fc.property(digits(15), (rest) => {
        expect(parseCardNumber(`4${rest}`) !== null).toBe(passesLuhn(`4${rest}`))
      }),
    )
  })

  test("may contain spaces and dashes, and nothing else", () => {
    expect(parseCardNumber(" 4242-4242 4242--4242 ")).not.toBeNull()
    for (const text of [
      "4242.4242.4242.4242",
      "４242424242424242",
      "4242424242424242x",
      "\t4242424242424242",
      "",
    ]) {
      expect(parseCardNumber(text)).toBeNull()
    }
  })

  test("is refused immediately when the text has megabytes", () => {
    expect(parseCardNumber("4 ".repeat(2_000_000))).toBeNull()
  })
})
