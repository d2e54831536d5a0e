import { type CardNumber, finish, Pace, parseCardNumber, type Work } from "@sealway/kernel"
import type { LocatedBody } from "./located-body.ts"

/** What the leak watch does when an unselected field holds a card number. */
export type LeakWatch = "off" | "alert" | "block"

/** Enough places to tell where a body leaks. */
export const MAX_LEAKS_FOUND = 20

const MIN_DIGITS = 13
/** 19 digits in five groups. */
const MAX_CHARACTERS = 23
const MAX_PATH_CHARACTERS = 1_000

const VALUES_PER_STEP = 256
const BYTES_PER_STEP = 4_096

/** How long numbers of a brand are (ISO/IEC 7812-1 leaves 12 to 19 to all), so that ids of another length are not taken for any. */
const LENGTHS: Readonly<Record<CardNumber["brand"], readonly number[]>> = {
  visa: [13, 16, 19],
  mastercard: [16],
  "american-express": [15],
  discover: [16, 19],
  "diners-club": [14, 16],
  jcb: [16, 19],
  unionpay: [16, 17, 18, 19],
}

/** How the digits stand together where spaces or dashes part them, as cards print them. */
const GROUPINGS: readonly (readonly number[])[] = [
  [4, 4, 4, 4],
  [4, 4, 4, 4, 3],
  [4, 6, 5],
  [4, 6, 4],
  [4, 3, 3, 3],
  [6, 13],
]

/**
 * Where the fields that no selection selects hold a card number: alone, in longer text, with single spaces or dashes
 * between its groups, or as a JSON number. What is taken for one has the prefix and the length of a known brand,
 * passes Luhn's check, and does not go on in a letter, a digit or a decimal fraction, so that times, hashes, base64
 * and most ids are none. Names of fields are not looked into.
 *
 * Linear in the body's size.
 *
 * @param maxFound how many places are enough
 * @returns their paths, in order, without the card numbers that a path itself holds
 */
export function scanForCardNumbers(body: LocatedBody, maxFound: number): readonly string[] {
  return finish(scanForCardNumbersInSteps(body, maxFound))
}

/** `scanForCardNumbers`, in steps. */
export function* scanForCardNumbersInSteps(body: LocatedBody, maxFound: number): Work<readonly string[]> {
  const paths: string[] = []
  if (maxFound <= 0) return paths
  const pace = new Pace(VALUES_PER_STEP)
  for (const value of body.unselected()) {
    if (pace.isDue(value.end - value.start)) yield
    if (value.type === "boolean" || value.end - value.start < MIN_DIGITS) continue
    const read = body.looseText(value)
    const text = Buffer.isBuffer(read) ? read : yield* read
    const isNegative = value.type === "number" && text[0] === DASH
    if (isNegative) continue
    let found = findCardNumber(text, 0, BYTES_PER_STEP)
    while (typeof found === "number") {
      yield
      found = findCardNumber(text, found, found + BYTES_PER_STEP)
    }
    if (found === null) continue
    // A path is told by looking at all that is before the value.
    yield
    paths.push(shownPath(body.path(value)))
    if (paths.length >= maxFound) break
  }
  return paths
}

/** Whether a text holds a card number, as `scanForCardNumbers` finds them. */
export function holdsCardNumber(text: Buffer): boolean {
  return findCardNumber(text, 0, text.length) !== null
}

/** The text with an asterisk in the place of each digit of a card number. */
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

/** A path as people are shown it. Names, and so paths, are as long as whoever sends a body likes. What is cut off is masked before, so that no half of a number stays. */
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
const LETTER_B = 0x42

/**
 * The first card number that begins at a position or later. Each run of digits is looked at once, with a bounded look
 * ahead.
 *
 * @returns the position to go on at when there is none up to `until`, and more behind it; null when there is none
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

/** @param end of the run of digits that begins at `start` */
function cardNumberAt(text: Buffer, start: number, end: number): Span | null {
  if (isCardNumber(text, start, end)) return { start, end }
  for (const grouping of GROUPINGS) {
    if (grouping[0] !== end - start) continue
    const groupsEnd = endOfGroups(text, start, grouping)
    if (groupsEnd !== null && isCardNumber(text, start, groupsEnd)) return { start, end: groupsEnd }
  }
  return null
}

/** Where groups of these sizes end, one space or dash between them; null when the digits stand otherwise. */
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

/** Whether a number can begin here: not in a word, unless that is what track 1 of a magnetic stripe begins with, nor in a fraction. */
function mayBegin(text: Buffer, start: number): boolean {
  const before = text[start - 1]
  if (before === DOT) return !isDigit(text[start - 2])
  return !isLetter(before) || (before === LETTER_B && text[start - 2] === PERCENT)
}

function mayEnd(text: Buffer, end: number): boolean {
  const after = text[end]
  if (after === DOT) return !isDigit(text[end + 1])
  return !isLetter(after) && !isDigit(after)
}

function endOfDigits(text: Buffer, start: number): number {
  let at = start
  while (isDigit(text[at])) at++
  return at
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

/** Of ASCII only: other scripts write numbers next to their words. */
function isLetter(byte: number | undefined): boolean {
  if (byte === undefined) return false
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}
