import type { Work } from "../work/work.ts"

/** How much one step decodes, in bytes: a fraction of a millisecond of work. */
const PIECE_BYTES = 65_536

const BACKSLASH = 0x5c
const LOWER_D = 0x64
const LOWER_U = 0x75

/**
 * Decodes the string literal at `[start, end)` of a scanned document, quotes included, to UTF-8. Returns null when it
 * contains a lone surrogate escape such as `\ud800`, which UTF-8 cannot represent.
 */
export function decodeJsonString(bytes: Buffer, escaped: boolean, start: number, end: number): Buffer | null {
  if (!escaped) return bytes.subarray(start + 1, end - 1)
  const text = unescapeJsonString(bytes, start, end)
  return text.isWellFormed() ? Buffer.from(text) : null
}

/** `decodeJsonString`, in steps. */
export function* decodeJsonStringInSteps(
  bytes: Buffer,
  escaped: boolean,
  start: number,
  end: number,
): Work<Buffer | null> {
  if (!escaped || end - start <= PIECE_BYTES) return decodeJsonString(bytes, escaped, start, end)
  const { decoded, isWellFormed } = yield* decodePieces(bytes, start, end)
  return isWellFormed ? decoded : null
}

/** Decodes a string literal with escapes to UTF-8, in steps. Lone surrogates become U+FFFD. */
export function* unescapeLooselyInSteps(bytes: Buffer, start: number, end: number): Work<Buffer> {
  const { decoded } = yield* decodePieces(bytes, start, end)
  return decoded
}

function* decodePieces(bytes: Buffer, start: number, end: number) {
  // No text is longer than its literal.
  const decoded = Buffer.allocUnsafe(end - start)
  let length = 0
  let isWellFormed = true
  for (let at = start + 1; at < end - 1; ) {
    yield
    const pieceEnd = endOfPiece(bytes, at, Math.min(at + PIECE_BYTES, end - 1))
    const text: string = JSON.parse(`"${bytes.toString("utf8", at, pieceEnd)}"`)
    isWellFormed &&= text.isWellFormed()
    length += decoded.write(text, length)
    at = pieceEnd
  }
  return { decoded: decoded.subarray(0, length), isWellFormed }
}

/** Decodes a scanned string literal to text, lone surrogates included. */
export function unescapeJsonString(bytes: Buffer, start: number, end: number): string {
  const text: unknown = JSON.parse(bytes.toString("utf8", start, end))
  if (typeof text !== "string") throw new TypeError("The range does not hold a string literal")
  return text
}

/** @returns the first position, at least `least`, that cuts neither a character nor an escape nor a pair of escapes */
function endOfPiece(bytes: Buffer, start: number, least: number): number {
  let at = start
  while (at < least || isContinuation(bytes[at])) {
    if (bytes[at] !== BACKSLASH) at++
    else if (bytes[at + 1] !== LOWER_U) at += 2
    else at += isHighSurrogate(bytes, at) && bytes[at + 6] === BACKSLASH && bytes[at + 7] === LOWER_U ? 12 : 6
  }
  return at
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** Whether an escape is one of `\ud800` to `\udbff`. */
function isHighSurrogate(bytes: Buffer, at: number): boolean {
  const [third, fourth] = [(bytes[at + 2] ?? 0) | 0x20, (bytes[at + 3] ?? 0) | 0x20]
  return third === LOWER_D && ((fourth >= 0x38 && fourth <= 0x39) || fourth === 0x61 || fourth === 0x62)
}
