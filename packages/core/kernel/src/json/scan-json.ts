import { SealwayError } from "../errors/errors.ts"
import { finish, type Work } from "../work/work.ts"

/** The kind of a scalar's literal. An `escaped-string` contains at least one backslash. */
export type ScalarKind = "string" | "escaped-string" | "number" | "boolean" | "null"

/** Receives everything in a document, in order. Offsets are bytes; `end` is the first byte after. */
export interface JsonSink {
  open(container: "object" | "array"): void
  close(): void
  /** A field's name, quotes included. */
  key(start: number, end: number): void
  /** A literal. Strings include their quotes. */
  scalar(kind: ScalarKind, start: number, end: number): void
}

/** The bytes are not one JSON text. The message names the place and never the text there. */
export class JsonSyntaxError extends SealwayError {
  override readonly name = "JsonSyntaxError"
  readonly offset: number
  constructor(reason: string, offset: number) {
    super("invalid-request", `${reason} at byte ${offset}`)
    this.offset = offset
  }
}

/** Containers are nested deeper than the limit. */
export class JsonDepthError extends SealwayError {
  override readonly name = "JsonDepthError"
  constructor(maxDepth: number) {
    super("invalid-request", `Nested deeper than ${maxDepth} levels`)
  }
}

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const UPPER_E = 0x45
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const LOWER_E = 0x65
const LOWER_F = 0x66
const LOWER_N = 0x6e
const LOWER_T = 0x74
const LOWER_U = 0x75
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

const SIMPLE_ESCAPES = new Set(Buffer.from('"\\/bfnrt'))
const WORDS = { true: Buffer.from("true"), false: Buffer.from("false"), null: Buffer.from("null") }

/**
 * Scans one JSON text (RFC 8259) in a single pass and reports the positions of its parts to the sink. Accepts exactly
 * what `JSON.parse` accepts, without building values, so digits, key order, duplicate keys and white space remain
 * available. The bytes must be valid UTF-8 (see `buffer.isUtf8`); the caller checks that.
 *
 * @param maxDepth the maximum nesting of containers; the loop is not recursive, so no input overflows the stack
 * @throws JsonSyntaxError, JsonDepthError
 */
export function scanJson(bytes: Uint8Array, sink: JsonSink, maxDepth: number): void {
  finish(scanJsonInSteps(bytes, sink, maxDepth))
}

const BYTES_PER_STEP = 8_192

/** `scanJson`, in steps. The sink must do little work per part. */
export function* scanJsonInSteps(bytes: Uint8Array, sink: JsonSink, maxDepth: number): Work<void> {
  const length = bytes.length
  let stepEnd = BYTES_PER_STEP
  /** One entry per open container: true for an object. */
  const objects: boolean[] = []
  /** The string being read: where it starts, whether it is a key, and whether it contains an escape. */
  let stringStart = 0
  let isKey = false
  let isEscaped = false
  let isInString = false
  let at = skipWhiteSpace(0)
  readValue()
  while (isInString || objects.length > 0) {
    if (at >= stepEnd) {
      stepEnd = at + BYTES_PER_STEP
      yield
    }
    if (isInString) {
      if (readString() && isKey) readValue()
      continue
    }
    at = skipWhiteSpace(at)
    const inObject = objects[objects.length - 1] === true
    const byte = bytes[at]
    if (byte === (inObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
      closeContainer()
      continue
    }
    if (byte !== COMMA) throw unexpected(at)
    at = skipWhiteSpace(at + 1)
    if (!inObject || readKey()) readValue()
  }
  at = skipWhiteSpace(at)
  if (at < length) throw unexpected(at)

  /** Reads a scalar, or opens containers down to the first scalar, empty container or long string. */
  function readValue(): void {
    for (;;) {
      const byte = bytes[at]
      if (byte === OPEN_BRACE) {
        openContainer("object")
        if (bytes[at] === CLOSE_BRACE || !readKey()) return
      } else if (byte === OPEN_BRACKET) {
        openContainer("array")
        if (bytes[at] === CLOSE_BRACKET) return
      } else if (byte === QUOTE) {
        beginString("value")
        readString()
        return
      } else {
        const start = at
        sink.scalar(skipScalar(), start, at)
        return
      }
    }
  }

  /** @returns false for a string that is longer than a step: the next steps read the rest */
  function readKey(): boolean {
    if (bytes[at] !== QUOTE) throw unexpected(at)
    beginString("key")
    return readString()
  }

  function beginString(role: "key" | "value"): void {
    stringStart = at
    isKey = role === "key"
    isEscaped = false
    isInString = true
    at++
  }

  /** Continues reading a string, as far as the step goes. @returns whether the string has ended */
  function readString(): boolean {
    const end = Math.min(stepEnd, length)
    let position = at
    while (position < end) {
      position = endOfPlainText(bytes, position, end)
      if (position === end) break
      const byte = bytes[position]
      if (byte === QUOTE) {
        at = position + 1
        endString()
        return true
      }
      if (byte !== BACKSLASH) throw unexpected(position)
      isEscaped = true
      position = skipEscape(position)
    }
    at = position
    if (at >= length) throw unexpected(at)
    return false
  }

  function endString(): void {
    isInString = false
    if (!isKey) {
      sink.scalar(isEscaped ? "escaped-string" : "string", stringStart, at)
      return
    }
    sink.key(stringStart, at)
    at = skipWhiteSpace(at)
    if (bytes[at] !== COLON) throw unexpected(at)
    at = skipWhiteSpace(at + 1)
  }

  function skipScalar(): ScalarKind {
    switch (bytes[at]) {
      case LOWER_T:
        skipWord(WORDS.true)
        return "boolean"
      case LOWER_F:
        skipWord(WORDS.false)
        return "boolean"
      case LOWER_N:
        skipWord(WORDS.null)
        return "null"
      default:
        skipNumber()
        return "number"
    }
  }

  function openContainer(container: "object" | "array"): void {
    if (objects.length >= maxDepth) throw new JsonDepthError(maxDepth)
    objects.push(container === "object")
    sink.open(container)
    at = skipWhiteSpace(at + 1)
  }

  function closeContainer(): void {
    objects.pop()
    sink.close()
    at++
  }

  /** @returns the end of the escape */
  function skipEscape(from: number): number {
    const byte = bytes[from + 1]
    if (byte === LOWER_U) {
      for (let digit = from + 2; digit < from + 6; digit++) {
        if (!isHexDigit(bytes[digit])) throw unexpected(digit)
      }
      return from + 6
    }
    if (byte !== undefined && SIMPLE_ESCAPES.has(byte)) return from + 2
    throw unexpected(from + 1)
  }

  function skipNumber(): void {
    if (bytes[at] === MINUS) at++
    if (bytes[at] === ZERO) at++
    else skipDigits()
    if (bytes[at] === POINT) {
      at++
      skipDigits()
    }
    if (bytes[at] === LOWER_E || bytes[at] === UPPER_E) {
      at++
      if (bytes[at] === PLUS || bytes[at] === MINUS) at++
      skipDigits()
    }
  }

  function skipDigits(): void {
    const start = at
    while (isDigit(bytes[at])) at++
    if (at === start) throw unexpected(at)
  }

  function skipWord(word: Uint8Array): void {
    for (const byte of word) {
      if (bytes[at] !== byte) throw unexpected(at)
      at++
    }
  }

  function skipWhiteSpace(from: number): number {
    let position = from
    for (;;) {
      const byte = bytes[position]
      if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) return position
      position++
    }
  }

  function unexpected(offset: number): JsonSyntaxError {
    return new JsonSyntaxError(
      offset >= length ? "Unexpected end" : "Unexpected byte",
      Math.min(offset, length),
    )
  }
}

/** 1 for each byte that ends plain text within a string: a quote, a backslash or a control character. */
const ENDS_PLAIN_TEXT = Uint8Array.from({ length: 0x100 }, (_, byte) =>
  Number(byte < SPACE || byte === QUOTE || byte === BACKSLASH),
)

/**
 * Returns where a JSON string has a quote, a backslash or a control character; `end` if there is none before. It stands
 * apart and uses a table, because most of a document is read by this loop: that is several times as fast as a loop that
 * shares the scanner's variables.
 */
export function endOfPlainText(bytes: Uint8Array, from: number, end: number): number {
  let position = from
  while (position < end && ENDS_PLAIN_TEXT[bytes[position] ?? 0] === 0) position++
  return position
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE
}

function isHexDigit(byte: number | undefined): boolean {
  if (byte === undefined) return false
  const letter = byte | 0x20
  return isDigit(byte) || (letter >= 0x61 && letter <= 0x66)
}
