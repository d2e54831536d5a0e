export const CARD_BRANDS = [
  "visa",
  "mastercard",
  "american-express",
  "discover",
  "diners-club",
  "jcb",
  "unionpay",
  "maestro",
  "dankort",
  "cartes-bancaires",
] as const

export type CardBrand = (typeof CARD_BRANDS)[number]

/** What a card number itself reveals. */
export interface CardNumber {
  readonly brand: CardBrand
  /** The first six digits: the most that may be shown with the last four of a number of any length (PCI DSS 3.4.1). */
  readonly bin: string
  readonly lastFour: string
}

/**
 * First and last issuer prefix of a range, both of the same length. In nested ranges, the longer prefix wins. Cards of
 * Cartes Bancaires have no prefix of their own: tables of ranges name them.
 */
const BRAND_RANGES: readonly (readonly [first: string, last: string, brand: CardBrand])[] = [
  ["2221", "2720", "mastercard"],
  ["3528", "3589", "jcb"],
  ["3095", "3095", "diners-club"],
  ["5018", "5018", "maestro"],
  ["5019", "5019", "dankort"],
  ["5020", "5020", "maestro"],
  ["5038", "5038", "maestro"],
  ["5893", "5893", "maestro"],
  ["6011", "6011", "discover"],
  ["6304", "6304", "maestro"],
  ["6703", "6703", "maestro"],
  ["6705", "6705", "maestro"],
  ["6759", "6763", "maestro"],
  ["6766", "6767", "maestro"],
  ["6771", "6771", "maestro"],
  ["300", "305", "diners-club"],
  ["644", "649", "discover"],
  ["34", "34", "american-express"],
  ["36", "36", "diners-club"],
  ["37", "37", "american-express"],
  ["38", "39", "diners-club"],
  ["51", "55", "mastercard"],
  ["62", "62", "unionpay"],
  ["65", "65", "discover"],
  ["81", "81", "unionpay"],
  ["4", "4", "visa"],
]

/**
 * Parses a card number: 12 to 19 digits, ignoring spaces and dashes, that pass the Luhn check (ISO/IEC 7812-1, annex B)
 * and start with the prefix of a known brand. Returns null for anything else.
 */
export function parseCardNumber(text: string): CardNumber | null {
  if (text.length > 64) return null
  const digits = text.replace(/[ -]/g, "")
  if (!/^[0-9]{12,19}$/.test(digits) || !passesLuhn(digits)) return null
  const brand = cardBrandOf(digits)
  return brand && { brand, bin: digits.slice(0, 6), lastFour: digits.slice(-4) }
}

/** Returns the brand whose numbers start with these digits; null when there is none. @param digits at least four */
export function cardBrandOf(digits: string): CardBrand | null {
  const range = BRAND_RANGES.find(([first, last]) => {
    const prefix = digits.slice(0, first.length)
    return prefix >= first && prefix <= last
  })
  return range === undefined ? null : range[2]
}

/** Performs the Luhn check (ISO/IEC 7812-1, annex B). */
export function passesLuhn(digits: string): boolean {
  return luhnSum(digits) % 10 === 0
}

/** Returns the check digit with which digits pass the Luhn check. */
export function luhnDigit(body: string): string {
  return String((10 - (luhnSum(`${body}0`) % 10)) % 10)
}

function luhnSum(digits: string): number {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index])
    const weighted = index % 2 === 1 ? digit * 2 : digit
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum
}
