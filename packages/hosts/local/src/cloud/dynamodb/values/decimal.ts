import { invalid } from "./invalid-record.ts"

/**
 * A number as DynamoDB stores it: `digits × 10^exponent`. Digits neither start nor end with a zero, except for zero
 * itself.
 */
export interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/
/** Longer texts are padded with zeros, or have more digits than a number may have. */
const MAX_TEXT_LENGTH = 1_000
const MAX_DIGITS = 38
/** The power of ten of the first digit. */
const MAX_MAGNITUDE = 125
const MIN_MAGNITUDE = -130

const ZERO: Decimal = { digits: 0n, exponent: 0 }

/**
 * Parses a number.
 *
 * @throws InvalidRecordError when it is not one, or DynamoDB cannot store it exactly
 */
export function parseDecimal(text: string): Decimal {
  const match = text.length > MAX_TEXT_LENGTH ? null : NUMBER.exec(text)
  const [, sign, whole = "", fraction = "", exponent = "0"] = match ?? []
  if (match === null || whole + fraction === "")
    throw invalid("The parameter cannot be converted to a numeric value.")
  const digits = BigInt(whole + fraction)
  return withinBounds(sign === "-" ? -digits : digits, Number(exponent) - fraction.length)
}

export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const exponent = Math.min(left.exponent, right.exponent)
  return withinBounds(scaledTo(exponent, left) + scaledTo(exponent, right), exponent)
}

/** Negative when the left one is smaller, positive when it is larger. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  const exponent = Math.min(left.exponent, right.exponent)
  const difference = scaledTo(exponent, left) - scaledTo(exponent, right)
  return difference === 0n ? 0 : difference < 0n ? -1 : 1
}

/** Formats a number as DynamoDB does: without an exponent or unnecessary zeros. */
export function formatDecimal({ digits, exponent }: Decimal): string {
  const sign = digits < 0n ? "-" : ""
  const text = significantDigits(digits)
  if (exponent >= 0) return sign + text + "0".repeat(exponent)
  const padded = text.padStart(1 - exponent, "0")
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`
}

/** Without the sign. */
export function significantDigits(digits: bigint): string {
  return String(digits < 0n ? -digits : digits)
}

function withinBounds(digits: bigint, exponent: number): Decimal {
  if (digits === 0n) return ZERO
  const text = significantDigits(digits)
  const trimmed = text.replace(/0+$/, "")
  const magnitude = exponent + text.length - 1
  if (magnitude > MAX_MAGNITUDE)
    throw invalid("Number overflow. Attempting to store a number with magnitude larger than supported range.")
  if (magnitude < MIN_MAGNITUDE)
    throw invalid(
      "Number underflow. Attempting to store a number with magnitude smaller than supported range.",
    )
  if (trimmed.length > MAX_DIGITS)
    throw invalid("Attempting to store more than 38 significant digits in a Number.")
  return {
    digits: digits < 0n ? -BigInt(trimmed) : BigInt(trimmed),
    exponent: exponent + text.length - trimmed.length,
  }
}

function scaledTo(exponent: number, decimal: Decimal): bigint {
  return decimal.digits * 10n ** BigInt(decimal.exponent - exponent)
}
