import type { Work } from "@sealway/kernel"
import type { BodyMemory } from "../body/body-memory.ts"
import { UnreadableBodyError } from "../body/located-body.ts"
import {
  ARRAY,
  BOOLEAN,
  END,
  ESCAPED,
  type JsonRows,
  LAST,
  NAME,
  NAME_DOTTED,
  NAME_ESCAPED,
  NAME_SPECIAL,
  NULL,
  NUMBER,
  OBJECT,
  ROW_SIZE,
  START,
  STRING,
  TRAITS,
} from "./json-rows.ts"

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const DOLLAR = 0x24
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const UNDERSCORE = 0x5f
const LOWER_E = 0x65
const LOWER_F = 0x66
const LOWER_N = 0x6e
const LOWER_O = 0x6f
const LOWER_P = 0x70
const LOWER_R = 0x72
const LOWER_T = 0x74
const LOWER_U = 0x75
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const TO_LOWER_CASE = 0x20

const BYTES_PER_STEP = 16_384

const ROW_BYTES = ROW_SIZE * Int32Array.BYTES_PER_ELEMENT

/** What a string is not read past without a look. */
const ENDS_RUN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < SPACE || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
)
/** The same for a name that has had no dot or bracket so far. */
const ENDS_RUN_OF_NAME = ENDS_RUN.map((ends, byte) => (byte === POINT || byte === OPEN_BRACKET ? 1 : ends))

const IS_SIMPLE_ESCAPE = Uint8Array.from({ length: 256 }, (_, byte) =>
  '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? 1 : 0,
)
const IS_HEX_DIGIT = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[0-9a-fA-F]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

/** Returns a byte, 0 after the last one; a 0 is not valid anywhere in a JSON text. */
function byteAt(bytes: Uint8Array, at: number): number {
  return at < bytes.length ? (bytes[at] ?? 0) : 0
}

/**
 * Scans the values of one JSON text (RFC 8259) in a single pass. Accepts exactly what `JSON.parse` accepts, except for
 * depth. It writes into an array instead of calling a sink, as the kernel's `scanJson` does: that halves the time for
 * bodies of megabytes.
 *
 * @param bytes valid UTF-8
 * @param from where the text starts
 * @param maxDepth the maximum nesting of containers. Nothing here is recursive
 * @param memory counts the rows
 * @throws UnreadableBodyError `malformed` with the position, `too-large` when too deep
 */
export function* scanJsonRows(
  bytes: Uint8Array,
  from: number,
  maxDepth: number,
  memory: BodyMemory,
): Work<JsonRows> {
  const { length } = bytes
  let capacity = (length >> 4) + 16
  memory.take(capacity * ROW_BYTES)
  let cells = createCells(capacity)
  let count = 0
  /** For each open container: its row, and the row of its latest child. */
  const open: number[] = []
  const latest: number[] = []
  let depth = 0
  let inObject = false
  let names = 0
  let at = skipWhiteSpace(bytes, from)
  let stepEnd = at + BYTES_PER_STEP
  const string = new StringReader()

  for (;;) {
    if (at >= stepEnd) {
      stepEnd = at + BYTES_PER_STEP
      yield
    }
    let name = 0
    let traits = 0
    if (inObject) {
      if (byteAt(bytes, at) !== QUOTE) throw unexpected(bytes, at)
      name = at + 1
      string.begin(at, ENDS_RUN_OF_NAME)
      while (!string.readOn(bytes, stepEnd)) {
        stepEnd = string.at + BYTES_PER_STEP
        yield
      }
      if (string.isEscaped) traits = NAME_ESCAPED
      if (string.isDotted) traits |= NAME_DOTTED
      if (isSpecial(bytes, name)) traits |= NAME_SPECIAL
      names |= traits
      at = skipWhiteSpace(bytes, string.at)
      if (byteAt(bytes, at) !== COLON) throw unexpected(bytes, at)
      at = skipWhiteSpace(bytes, at + 1)
    }

    if (count === capacity) {
      capacity = largerCapacity(count, at, length)
      memory.take((capacity - count) * ROW_BYTES)
      const larger = createCells(capacity)
      larger.set(cells)
      cells = larger
    }
    const row = count * ROW_SIZE
    if (depth > 0) latest[depth - 1] = count
    count++
    cells[row + START] = at
    cells[row + NAME] = name

    const first = byteAt(bytes, at)
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      if (depth === maxDepth) {
        throw new UnreadableBodyError("too-large", `JSON is nested deeper than ${maxDepth} levels.`)
      }
      inObject = first === OPEN_BRACE
      cells[row + TRAITS] = traits | (inObject ? OBJECT : ARRAY)
      open[depth] = count - 1
      latest[depth] = -1
      depth++
      at = skipWhiteSpace(bytes, at + 1)
      if (byteAt(bytes, at) !== (inObject ? CLOSE_BRACE : CLOSE_BRACKET)) continue
    } else {
      if (first === QUOTE) {
        string.begin(at, ENDS_RUN)
        while (!string.readOn(bytes, stepEnd)) {
          stepEnd = string.at + BYTES_PER_STEP
          yield
        }
        at = string.at
        traits |= string.isEscaped ? STRING | ESCAPED : STRING
      } else if (first === LOWER_T) {
        at = skipWord(bytes, at, "true")
        traits |= BOOLEAN
      } else if (first === LOWER_F) {
        at = skipWord(bytes, at, "false")
        traits |= BOOLEAN
      } else if (first === LOWER_N) {
        at = skipWord(bytes, at, "null")
        traits |= NULL
      } else {
        at = skipNumber(bytes, at)
        traits |= NUMBER
      }
      cells[row + END] = at
      cells[row + TRAITS] = traits
      at = skipWhiteSpace(bytes, at)
    }

    // `at` is after a value, or after an empty container.
    for (;;) {
      if (depth === 0) {
        if (at < length) throw unexpected(bytes, at)
        return { cells, count, names }
      }
      const next = byteAt(bytes, at)
      if (next === COMMA) {
        at = skipWhiteSpace(bytes, at + 1)
        break
      }
      if (next !== (inObject ? CLOSE_BRACE : CLOSE_BRACKET)) throw unexpected(bytes, at)
      depth--
      const last = latest[depth] ?? -1
      if (last >= 0) cells[last * ROW_SIZE + TRAITS] = (cells[last * ROW_SIZE + TRAITS] ?? 0) | LAST
      cells[(open[depth] ?? 0) * ROW_SIZE + END] = count
      if (depth > 0) {
        const outer = (open[depth - 1] ?? 0) * ROW_SIZE + TRAITS
        inObject = ((cells[outer] ?? 0) & ARRAY) === 0
      }
      at = skipWhiteSpace(bytes, at + 1)
    }
  }
}

/** Allocates rows, not cleared. Those of a small text come from Node.js's pool of small buffers. */
function createCells(capacity: number): Int32Array {
  const size = Int32Array.BYTES_PER_ELEMENT
  const { buffer, byteOffset } = Buffer.allocUnsafe((capacity * ROW_SIZE + 1) * size)
  return new Int32Array(buffer, Math.ceil(byteOffset / size) * size, capacity * ROW_SIZE)
}

/**
 * Returns how many rows to allocate when those of the first `at` bytes do not fit: as many as needed if the rest is
 * like the start, so that most texts move at most once.
 */
function largerCapacity(count: number, at: number, length: number): number {
  const expected = Math.ceil(count * (length / at) * 1.05)
  const possible = count + (length - at)
  return Math.min(Math.max(expected, count + (count >> 1)), possible) + 16
}

function skipWhiteSpace(bytes: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    const byte = byteAt(bytes, at)
    if (byte > SPACE) return at
    if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) return at
    at++
  }
}

/** A string that is being read. */
class StringReader {
  /** How far it was read. */
  at = 0
  isEscaped = false
  isDotted = false
  #endsRun = ENDS_RUN

  /**
   * @param start the position of its first quote
   * @param endsRun `ENDS_RUN`, or `ENDS_RUN_OF_NAME` to note dots
   */
  begin(start: number, endsRun: typeof ENDS_RUN): void {
    this.at = start + 1
    this.isEscaped = false
    this.isDotted = false
    this.#endsRun = endsRun
  }

  /** Reads on, up to about `limit`. @returns whether that is after the string */
  readOn(bytes: Uint8Array, limit: number): boolean {
    let { at } = this
    let endsRun = this.#endsRun
    for (;;) {
      let byte = bytes[at] ?? 0
      while (endsRun[byte] === 0 && at < limit) byte = bytes[++at] ?? 0
      if (byte === QUOTE) {
        this.at = at + 1
        return true
      }
      if (at >= limit) {
        this.at = at
        return false
      }
      if (byte === BACKSLASH) {
        this.isEscaped = true
        at = skipEscape(bytes, at)
      } else if (byte === POINT || byte === OPEN_BRACKET) {
        this.isDotted = true
        this.#endsRun = endsRun = ENDS_RUN
      } else throw unexpected(bytes, at)
    }
  }
}

/** Whether a name begins like `__proto__` or `$ref`, or some parser reads it as `op`: see `foldMemberName`. */
function isSpecial(bytes: Uint8Array, start: number): boolean {
  const first = byteAt(bytes, start)
  if (first === DOLLAR) return bytes[start + 1] === LOWER_R
  if (first === UNDERSCORE && bytes[start + 1] === UNDERSCORE) return true
  const letter = skipSeparators(bytes, start)
  if ((byteAt(bytes, letter) | TO_LOWER_CASE) !== LOWER_O) return false
  const next = skipSeparators(bytes, letter + 1)
  return (byteAt(bytes, next) | TO_LOWER_CASE) === LOWER_P && bytes[skipSeparators(bytes, next + 1)] === QUOTE
}

function skipSeparators(bytes: Uint8Array, from: number): number {
  let at = from
  while (bytes[at] === UNDERSCORE || bytes[at] === MINUS || bytes[at] === SPACE) at++
  return at
}

function skipEscape(bytes: Uint8Array, start: number): number {
  const escaped = byteAt(bytes, start + 1)
  if (escaped !== LOWER_U) {
    if (IS_SIMPLE_ESCAPE[escaped] === 0) throw unexpected(bytes, start + 1)
    return start + 2
  }
  for (let digit = start + 2; digit < start + 6; digit++) {
    if (IS_HEX_DIGIT[byteAt(bytes, digit)] === 0) throw unexpected(bytes, digit)
  }
  return start + 6
}

function skipWord(bytes: Uint8Array, start: number, word: string): number {
  for (let index = 0; index < word.length; index++) {
    if (byteAt(bytes, start + index) !== word.charCodeAt(index)) throw unexpected(bytes, start + index)
  }
  return start + word.length
}

function skipNumber(bytes: Uint8Array, start: number): number {
  let at = start
  if (byteAt(bytes, at) === MINUS) at++
  if (byteAt(bytes, at) === ZERO) at++
  else at = skipDigits(bytes, at)
  if (byteAt(bytes, at) === POINT) at = skipDigits(bytes, at + 1)
  if ((byteAt(bytes, at) | TO_LOWER_CASE) === LOWER_E) {
    at++
    const sign = byteAt(bytes, at)
    if (sign === PLUS || sign === MINUS) at++
    at = skipDigits(bytes, at)
  }
  return at
}

function skipDigits(bytes: Uint8Array, start: number): number {
  let at = start
  while (isDigit(byteAt(bytes, at))) at++
  if (at === start) throw unexpected(bytes, at)
  return at
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte < COLON
}

function unexpected(bytes: Uint8Array, at: number): UnreadableBodyError {
  const detail =
    at >= bytes.length
      ? `JSON ends unexpectedly at byte ${bytes.length}.`
      : `Unexpected byte in JSON at byte ${at}.`
  return new UnreadableBodyError("malformed", detail)
}
