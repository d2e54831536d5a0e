import { expect, test } from "vitest"
import { eciOf, meaningOfEci } from "./electronic-commerce-indicator.ts"

test.each([
  ["mastercard", "02", "fully-authenticated", true],
  ["mastercard", "01", "attempted", true],
  ["mastercard", "07", "fully-authenticated", true],
  ["mastercard", "00", "not-authenticated", false],
  ["mastercard", "04", "not-authenticated", false],
  ["mastercard", "06", "not-authenticated", false],
  ["mastercard", "05", "not-authenticated", false],
  ["visa", "05", "fully-authenticated", true],
  ["american-express", "06", "attempted", true],
  ["jcb", "07", "not-authenticated", false],
  ["discover", "02", "not-authenticated", false],
  [null, "05", "fully-authenticated", true],
] as const)(
  "an indicator for %s, %s, means %s, with liability shift: %s",
  (brand, value, descriptor, liabilityShift) => {
    expect(meaningOfEci(brand, value, true)).toEqual({ value, descriptor, liabilityShift })
  },
)

test("shifts liability with Mastercard's indicator of recurring payments only for the first payment", () => {
  expect(meaningOfEci("mastercard", "07", false).liabilityShift).toBe(false)
  expect(meaningOfEci("mastercard", "02", false).liabilityShift).toBe(true)
})

test.each([
  ["visa", { eci: "06", transStatus: "Y" }, "06"],
  ["visa", { transStatus: "Y" }, "05"],
  ["visa", { transStatus: "A" }, "06"],
  ["visa", {}, "07"],
  ["mastercard", { transStatus: "Y" }, "02"],
  ["mastercard", { transStatus: "A" }, "01"],
  ["mastercard", { transStatus: "I" }, "04"],
  ["mastercard", {}, "00"],
] as const)(
  "derives the indicator of %s for %j as %s: from the network, or else from its status",
  (brand, said, eci) => {
    expect(eciOf(brand, said)).toBe(eci)
  },
)
