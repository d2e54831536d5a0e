/** The month and the year of a card's expiry, two digits each. */
export interface Expiry {
  readonly month: string
  readonly year: string
}

const EXPIRY = /^(0[1-9]|1[0-2])([0-9]{2})$/
/** Cards are issued for a few years; a date further away is a mistake. */
const MAX_YEARS = 50

/**
 * Returns up to four digits, month and year, of what a person has typed or a browser has filled in: `1/30`, `01 / 30`,
 * `01/2030`, `2030-01`.
 */
export function expiryDigitsOf(text: string): string {
  const [, isoYear, isoMonth] = /^\s*20(\d\d)\s*[-/]\s*(\d{1,2})\s*$/.exec(text) ?? []
  if (isoMonth !== undefined) return `${isoMonth.padStart(2, "0")}${isoYear}`
  const [, month, rest] = /^\s*(\d{1,2})\s*[/.-](.*)/s.exec(text) ?? []
  if (month !== undefined) return month.padStart(2, "0") + yearDigitsOf(rest ?? "")
  const digits = digitsIn(text)
  // No month begins with these.
  if (/^[2-9]/.test(digits)) return `0${digits[0]}${yearDigitsOf(digits.slice(1))}`
  return digits.slice(0, 2) + yearDigitsOf(digits.slice(2))
}

function yearDigitsOf(text: string): string {
  const digits = digitsIn(text)
  return /^20\d\d/.test(digits) ? digits.slice(2, 4) : digits.slice(0, 2)
}

function digitsIn(text: string): string {
  return text.replace(/[^0-9]/g, "")
}

/** Writes up to four digits as `01 / 30`. */
export function writeExpiry(digits: string): string {
  return digits.length > 2 ? `${digits.slice(0, 2)} / ${digits.slice(2)}` : digits
}

/** Returns null when the digits are not a month and a year. */
export function parseExpiry(digits: string): Expiry | null {
  const [, month, year] = EXPIRY.exec(digits) ?? []
  return month === undefined || year === undefined ? null : { month, year }
}

/**
 * Whether a card can still be used: it can, until the end of its month, anywhere on earth.
 *
 * @param nowMs epoch milliseconds
 */
export function isCurrent({ month, year }: Expiry, nowMs: number): boolean {
  const now = new Date(nowMs - 12 * 3_600_000)
  const months = (2000 + Number(year)) * 12 + Number(month) - 1
  const current = now.getUTCFullYear() * 12 + now.getUTCMonth()
  return months >= current && months <= current + MAX_YEARS * 12
}
