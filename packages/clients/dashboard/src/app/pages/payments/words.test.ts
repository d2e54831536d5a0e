import { expect, test } from "vitest"
import { cardInWords, moneyInWords, parseMoney } from "./words.ts"

test("a card is named by its brand, its first and its last digits", () => {
  expect(cardInWords({ bin: "42424242", lastFour: "4242", brand: "visa" })).toBe("visa 42424242…4242")
  expect(cardInWords({ lastFour: "4242", brand: null })).toBe("card …4242")
})

test.each([
  ["12.34", "eur", 1_234],
  ["12,3", "eur", 1_230],
  ["12", "eur", 1_200],
  ["1200", "jpy", 1_200],
  ["1.234", "bhd", 1_234],
  ["12.345", "eur", null],
  ["1.5", "jpy", null],
  ["-1", "eur", null],
  ["", "eur", null],
  ["1e3", "eur", null],
])("the amount %j in %s is %j of its minor unit", (text, currency, expected) => {
  expect(parseMoney(text, currency)).toBe(expected)
})

test("an amount is shown in the major unit of its currency", () => {
  expect(moneyInWords({ amount: 1_234, currency: "eur" })).toMatch(/12[.,]34/)
  expect(moneyInWords({ amount: 1_234, currency: "jpy" })).toMatch(/1[.,\s]?234$/)
})
