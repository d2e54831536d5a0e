import { luhnDigit } from "@sealway/kernel/card-number"
/** The first six digits of numbers with an outcome, by brand. */
export const TEST_BINS = {
  visa: "400000",
  mastercard: "520000",
  "american-express": "340000",
  discover: "601100",
  "diners-club": "360000",
  jcb: "353000",
  unionpay: "620000",
} as const

export type TestBrand = keyof typeof TEST_BINS

const BRANDS = new Map<string, TestBrand>(
  Object.entries(TEST_BINS).flatMap(([brand, bin]) => (isTestBrand(brand) ? [[bin, brand] as const] : [])),
)

/** A test BIN, zeros, three digits for the outcome, and a check digit. */
const OUTCOME_NUMBER = new RegExp(`^(?:${Object.values(TEST_BINS).join("|")})0*([1-9][0-9]{2})[0-9]$`)

/** Returns the three digits with which a number requests an outcome; null when it requests none. */
export function outcomeOf(number: string): string | null {
  return OUTCOME_NUMBER.exec(number)?.[1] ?? null
}

/** Returns null when these digits do not start with a test BIN. */
export function testBrandOf(digits: string): TestBrand | null {
  return BRANDS.get(digits.slice(0, 6)) ?? null
}

/** Numbers of these brands are shorter than 16 digits. */
const LENGTHS: Partial<Readonly<Record<TestBrand, number>>> = { "american-express": 15, "diners-club": 14 }

/** Returns the number of a brand that requests an outcome. @param outcome three digits */
export function outcomeNumber(brand: TestBrand, outcome: string): string {
  const body = TEST_BINS[brand].padEnd((LENGTHS[brand] ?? 16) - 1 - outcome.length, "0") + outcome
  return body + luhnDigit(body)
}

function isTestBrand(brand: string): brand is TestBrand {
  return Object.hasOwn(TEST_BINS, brand)
}
