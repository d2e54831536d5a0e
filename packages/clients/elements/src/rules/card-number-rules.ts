import { type CardBrand, cardBrandOf, passesLuhn } from "@sealway/kernel/card-number"

/** How many digits the numbers of a brand have. Visa's of 13 digits are no longer in use. */
const LENGTHS: Readonly<Record<CardBrand, readonly number[]>> = {
  visa: [16, 19],
  mastercard: [16],
  "american-express": [15],
  discover: [16, 17, 18, 19],
  "diners-club": [14, 15, 16, 17, 18, 19],
  jcb: [16, 17, 18, 19],
  unionpay: [16, 17, 18, 19],
  maestro: [12, 13, 14, 15, 16, 17, 18, 19],
  dankort: [16],
  "cartes-bancaires": [16],
}
const MAX_DIGITS = 19
/** So many digits decide the brand. */
const BRAND_DIGITS = 4

/** Writes Arabic, Persian and full-width digits, which keyboards of other scripts type, as ASCII digits. */
export function asciiDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) =>
    String(digit.charCodeAt(0) & 0xf),
  )
}

/** Returns the digits of what a person has typed or pasted, at most as many as a card number can have. */
export function digitsOf(text: string, max = MAX_DIGITS): string {
  return asciiDigits(text)
    .replace(/[^0-9]/g, "")
    .slice(0, max)
}

/** Returns the brand of the digits so far; null while they do not decide it. */
export function brandOfDigits(digits: string): CardBrand | null {
  if (digits.length >= BRAND_DIGITS) return cardBrandOf(digits)
  // Otherwise 10,000 endings would say so.
  if (digits === "") return null
  const missing = BRAND_DIGITS - digits.length
  const endings = Array.from({ length: 10 ** missing }, (_, index) => String(index).padStart(missing, "0"))
  const brand = cardBrandOf(digits + "0".repeat(missing))
  return endings.every((ending) => cardBrandOf(digits + ending) === brand) ? brand : null
}

export function maxDigitsOf(brand: CardBrand | null): number {
  return brand === null ? MAX_DIGITS : Math.max(...LENGTHS[brand])
}

/** Whether digits are a card number: of a known brand, of one of its lengths, with the right check digit. */
export function isCardNumber(digits: string): boolean {
  return hasNumberLength(digits) && passesLuhn(digits)
}

/** Whether digits are as many as a number of their brand has. */
export function hasNumberLength(digits: string): boolean {
  const brand = brandOfDigits(digits)
  return brand !== null && LENGTHS[brand].includes(digits.length)
}

/** Whether no digit can follow. */
export function isFullNumber(digits: string): boolean {
  return digits.length >= maxDigitsOf(brandOfDigits(digits))
}

/** Writes digits in the groups that are printed on the cards of their brand. */
export function groupCardNumber(digits: string): string {
  const brand = brandOfDigits(digits)
  const isShort = brand === "american-express" || (brand === "diners-club" && digits.length <= 14)
  const groups = isShort ? /^(\d{1,4})(\d{1,6})?(\d+)?$/ : /^(\d{1,4})(\d{1,4})?(\d{1,4})?(\d{1,4})?(\d+)?$/
  return (groups.exec(digits) ?? [])
    .slice(1)
    .filter((group) => group !== undefined)
    .join(" ")
}
