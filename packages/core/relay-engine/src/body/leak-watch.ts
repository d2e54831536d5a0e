import { type CardNumber, finish, Pace, parseCardNumber, type Work } from "@sealway/kernel"
import type { InspectedBody } from "./located-body.ts"

/** The leak watch's action when an unselected field contains a card number. */
export type LeakWatch = "off" | "alert" | "block"

/** Enough places to see where a body leaks. */
export const MAX_LEAKS_FOUND = 20

const MIN_DIGITS = 13
/** 19 digits in five groups. */
const MAX_CHARACTERS = 23
const MAX_PATH_CHARACTERS = 1_000

const VALUES_PER_STEP = 256
const BYTES_PER_STEP = 4_096

/**
 * The lengths of a brand's numbers (ISO/IEC 7812-1 allows 12 to 19 for all), so that ids of other lengths are not
 * matched.
 */
const LENGTHS: Readonly<Record<CardNumber["brand"], readonly number[]>> = {
  visa: [13, 16, 19],
  mastercard: [16],
  "american-express": [15],
  discover: [16, 19],
  "diners-club": [14, 16],
  jcb: [16, 19],
  unionpay: [16, 17, 18, 19],
  // Shorter ones are rare, and other numbers look like them.
  maestro: [16, 18, 19],
  dankort: [16],
  "cartes-bancaires": [16],
}

/** The groups of digits between spaces or dashes, as printed on cards. */
const GROUPINGS: readonly (readonly number[])[] = [
  [4, 4, 4, 4],
  [4, 4, 4, 4, 3],
  [4, 6, 5],
  [4, 6, 4],
  [4, 3, 3, 3],
  [6, 13],
]

/**
 * Finds the unselected fields, and the fields with a name, that contain a card number: alone, in longer text, with
 * single spaces or dashes between its groups, or as a JSON number in any notation. A match has the prefix and the length
 * of a known brand, passes the Luhn check, and is not followed by a letter, a digit or a decimal fraction other than
 * zero, so that times, hashes, base64 and most ids do not match.
 *
 * Linear in the body's size.
 *
 * @param maxFound how many places are enough
 * @returns their paths, in order, without card numbers in the path itself
 */
export function scanForCardNumbers(body: InspectedBody, maxFound: number): readonly string[] {
  return finish(scanForCardNumbersInSteps(body, maxFound))
}

/** `scanForCardNumbers`, in steps. */
export function* scanForCardNumbersInSteps(body: InspectedBody, maxFound: number): Work<readonly string[]> {
  const paths: string[] = []
  if (maxFound <= 0) return paths
  const pace = new Pace(VALUES_PER_STEP)
  for (const value of body.unselected()) {
    if (pace.isDue(value.end - value.start)) yield
    if (value.type === "boolean" || value.end - value.start < MIN_DIGITS) continue
    const read = body.looseText(value)
    const text = value.type === "number" ? integerOf(read) : Buffer.isBuffer(read) ? read : yield* read
    let found = findCardNumber(text, 0, BYTES_PER_STEP)
    while (typeof found === "number") {
      yield
      found = findCardNumber(text, found, found + BYTES_PER_STEP)
    }
    if (found === null) continue
    // Naming a path examines everything before the value.
    yield
    paths.push(shownPath(body.path(value)))
    if (paths.length >= maxFound) return paths
  }
  for (const name of body.names()) {
    if (pace.isDue(name.text.length)) yield
    if (name.text.length < MIN_DIGITS || !holdsCardNumber(Buffer.from(name.text))) continue
    yield
    paths.push(shownPath(name.path))
    if (paths.length >= maxFound) break
  }
  return paths
}

const NO_DIGITS = Buffer.alloc(0)
const MAX_LITERAL_BYTES = 64

/** Returns the digits of a JSON number that is a positive integer, in any notation: `4.2e1`, `42.0`. Empty for others. */
function integerOf(read: Buffer | Work<Buffer>): Buffer {
  if (!Buffer.isBuffer(read) || read.length > MAX_LITERAL_BYTES) return NO_DIGITS
  const parts = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(read.toString("latin1"))
  if (parts === null) return NO_DIGITS
  const [, whole = "", fraction = "", exponent = "0"] = parts
  const point = whole.length + Number(exponent)
  const digits = (whole + fraction).padEnd(Math.min(point, MAX_LITERAL_BYTES), "0")
  const isInteger = point > 0 && /^0*$/.test(digits.slice(point))
  return isInteger ? Buffer.from(digits.slice(0, point).replace(/^0+/, "")) : NO_DIGITS
}

/** Whether a text contains a card number, as found by `scanForCardNumbers`. */
export function holdsCardNumber(text: Buffer): boolean {
  return findCardNumber(text, 0, text.length) !== null
}

/** Replaces each digit of a card number in the text by an asterisk. */
export function maskCardNumbers(text: string): string {
  const bytes = Buffer.from(text)
  let found = findCardNumber(bytes, 0, bytes.length)
  for (
    ;
    found !== null && typeof found === "object";
    found = findCardNumber(bytes, found.end, bytes.length)
  ) {
    for (let at = found.start; at < found.end; at++) if (isDigit(bytes[at])) bytes[at] = ASTERISK
  }
  return bytes.toString()
}

/**
 * Shortens a path for people. Names, and so paths, are as long as the sender of a body likes. It is masked before it is
 * truncated, so that no half of a number remains.
 */
export function shownPath(path: string): string {
  return maskCardNumbers(path.slice(0, MAX_PATH_CHARACTERS + MAX_CHARACTERS)).slice(0, MAX_PATH_CHARACTERS)
}

interface Span {
  readonly start: number
  readonly end: number
}

const SPACE = 0x20
const PERCENT = 0x25
const ASTERISK = 0x2a
const DASH = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const LETTER_B = 0x42

/**
 * Finds the first card number that starts at a position or later. Each run of digits is examined once, with a bounded
 * look-ahead.
 *
 * @returns the position to continue at when there is none up to `until`, and more after it; null when there is none
 */
function findCardNumber(text: Buffer, from: number, until: number): Span | number | null {
  let at = from
  while (at < text.length) {
    if (at >= until) return at
    if (!isDigit(text[at])) {
      at++
      continue
    }
    const end = endOfDigits(text, at)
    if (mayBegin(text, at)) {
      const found = cardNumberAt(text, at, end)
      if (found !== null) return found
    }
    at = end
  }
  return null
}

/** @param end the end of the run of digits that starts at `start` */
function cardNumberAt(text: Buffer, start: number, end: number): Span | null {
  if (isCardNumber(text, start, end)) return { start, end }
  for (const grouping of GROUPINGS) {
    if (grouping[0] !== end - start) continue
    const groupsEnd = endOfGroups(text, start, grouping)
    if (groupsEnd !== null && isCardNumber(text, start, groupsEnd)) return { start, end: groupsEnd }
  }
  return null
}

/**
 * Returns where groups of these sizes end, with one space or dash between them; null when the digits are grouped
 * differently.
 */
function endOfGroups(text: Buffer, start: number, grouping: readonly number[]): number | null {
  let at = start
  for (const [index, size] of grouping.entries()) {
    if (index > 0) {
      if (text[at] !== SPACE && text[at] !== DASH) return null
      at++
    }
    for (const groupEnd = at + size; at < groupEnd; at++) if (!isDigit(text[at])) return null
    if (isDigit(text[at])) return null
  }
  return at
}

function isCardNumber(text: Buffer, start: number, end: number): boolean {
  const length = end - start
  if (length < MIN_DIGITS || length > MAX_CHARACTERS || !mayEnd(text, end)) return false
  const digits = text.toString("latin1", start, end)
  const card = parseCardNumber(digits)
  return card !== null && LENGTHS[card.brand].includes(digits.replace(/[ -]/g, "").length)
}

/**
 * Whether a number can start here: not within a word, except after the start of track 1 of a magnetic stripe, nor in a
 * fraction.
 */
function mayBegin(text: Buffer, start: number): boolean {
  const before = text[start - 1]
  if (before === DOT) return !isDigit(text[start - 2])
  return !isLetter(before) || (before === LETTER_B && text[start - 2] === PERCENT)
}

function mayEnd(text: Buffer, end: number): boolean {
  const after = text[end]
  if (after !== DOT) return !isLetter(after) && !isDigit(after)
  let at = end + 1
  while (text[at] === ZERO) at++
  return !isDigit(text[at]) && (at === end + 1 || !isLetter(text[at]))
}

function endOfDigits(text: Buffer, start: number): number {
  let at = start
  while (isDigit(text[at])) at++
  return at
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

/** ASCII only: other scripts write numbers next to their words. */
function isLetter(byte: number | undefined): boolean {
  if (byte === undefined) return false
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}
