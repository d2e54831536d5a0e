import type { Work } from "@sealway/kernel"

/** Encodes bytes as base64 (RFC 4648, section 4) without padding. */
export function encodeBase64(bytes: Buffer): string {
  return bytes.toString("base64").slice(0, base64Characters(bytes.length))
}

/** Returns how many characters encode a number of bytes. */
export function base64Characters(bytes: number): number {
  return Math.ceil((bytes * 4) / 3)
}

/** Returns how many bytes a number of characters decodes to. */
export function base64Bytes(characters: number): number {
  return Math.floor((characters * 3) / 4)
}

/**
 * Decodes the characters from `start` to `end` into `bytes`, whose length must be what `base64Bytes` returns. Returns
 * false, and leaves garbage in the bytes, unless `encodeBase64` would produce exactly these characters. Node.js is more
 * lenient: it accepts padding, the URL-safe alphabet, unused bits that are set, and characters that it skips. One token
 * could then be written in several ways.
 */
export function decodeBase64(text: string, start: number, end: number, bytes: Buffer): boolean {
  const decode = end - start > MAX_SHORT_CHARACTERS ? decodeLong : decodeShort
  return decode(text, start, end, bytes)
}

/** Up to this length a loop is faster than decoding with Node.js and encoding again to check the result. */
const MAX_SHORT_CHARACTERS = 96

function decodeLong(text: string, start: number, end: number, bytes: Buffer): boolean {
  const segment = text.slice(start, end)
  return bytes.write(segment, "base64") === bytes.length && encodeBase64(bytes) === segment
}

/** How many characters one step decodes: whole groups of four. */
const PIECE_CHARACTERS = 131_072

/** `decodeBase64` for ASCII bytes, in steps. Returns null for what it refuses. */
export function* decodeCanonicalBase64InSteps(characters: Buffer): Work<Buffer | null> {
  const bytes = Buffer.allocUnsafe(base64Bytes(characters.length))
  for (let at = 0; at < characters.length; at += PIECE_CHARACTERS) {
    yield
    const piece = characters.toString("latin1", at, at + PIECE_CHARACTERS)
    const start = base64Bytes(at)
    if (!decodeBase64(piece, 0, piece.length, bytes.subarray(start, start + base64Bytes(piece.length))))
      return null
  }
  return bytes
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const INVALID = 0x40
/** Six bits, or `INVALID`, by character code. */
const SEXTETS = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const sextet = ALPHABET.indexOf(String.fromCharCode(code))
  return sextet === -1 ? INVALID : sextet
})

function sextet(text: string, index: number): number {
  return SEXTETS[text.charCodeAt(index)] ?? INVALID
}

/** The unused bits at the end, by the number of characters after the last whole group of four. */
const UNUSED_BITS = [0, 0, 0x0f, 0x03] as const

function decodeShort(text: string, start: number, end: number, bytes: Buffer): boolean {
  const rest = (end - start) % 4
  let seen = 0
  let to = 0
  for (let from = start; from < end - rest; from += 4) {
    const a = sextet(text, from)
    const b = sextet(text, from + 1)
    const c = sextet(text, from + 2)
    const d = sextet(text, from + 3)
    seen |= a | b | c | d
    bytes[to] = (a << 2) | (b >> 4)
    bytes[to + 1] = (b << 4) | (c >> 2)
    bytes[to + 2] = (c << 6) | d
    to += 3
  }
  let bits = 0
  for (let from = end - rest; from < end; from++) {
    const last = sextet(text, from)
    seen |= last
    bits = (bits << 6) | last
  }
  if (rest === 2) bytes[to] = bits >> 4
  if (rest === 3) {
    bytes[to] = bits >> 10
    bytes[to + 1] = bits >> 2
  }
  return seen < INVALID && rest !== 1 && (bits & (UNUSED_BITS[rest] ?? 0)) === 0
}
