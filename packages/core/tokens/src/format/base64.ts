import type { Work } from "@sealway/kernel"

/** Encodes bytes as base64 (RFC 4648, section 4) without padding. */
export function encodeBase64(bytes: Buffer): string {
  return bytes.toString("base64").slice(0, base64Characters(bytes.length))
}

/**
 * Writes what `encodeBase64` returns for the first bytes of some.
 *
 * @param length how many bytes
 * @param at the offset in the target to start at
 * @returns the offset after the last character
 */
export function writeBase64(bytes: Uint8Array, length: number, target: Buffer, at: number): number {
  let to = at
  const rest = length % 3
  for (let from = 0; from < length - rest; from += 3) {
    const group = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0)
    target[to] = character(group >> 18)
    target[to + 1] = character(group >> 12)
    target[to + 2] = character(group >> 6)
    target[to + 3] = character(group)
    to += 4
  }
  if (rest === 0) return to
  const group = ((bytes[length - rest] ?? 0) << 16) | (rest === 2 ? (bytes[length - 1] ?? 0) << 8 : 0)
  target[to] = character(group >> 18)
  target[to + 1] = character(group >> 12)
  if (rest === 2) target[to + 2] = character(group >> 6)
  return to + rest + 1
}

function character(bits: number): number {
  return CHARACTERS[bits & 0x3f] ?? 0
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
 * Decodes the ASCII characters from `start` to `end` into `bytes`, whose length must be what `base64Bytes` returns. Returns
 * false, and leaves garbage in the bytes, unless `encodeBase64` would produce exactly these characters. Node.js is more
 * lenient: it accepts padding, the URL-safe alphabet, unused bits that are set, and characters that it skips. One token
 * could then be written in several ways.
 */
export function decodeBase64(characters: Uint8Array, start: number, end: number, bytes: Buffer): boolean {
  const decode = end - start > MAX_SHORT_CHARACTERS ? decodeLong : decodeShort
  return decode(characters, start, end, bytes)
}

/** Up to this length a loop is faster than decoding with Node.js and encoding again to check the result. */
const MAX_SHORT_CHARACTERS = 96

function decodeLong(characters: Uint8Array, start: number, end: number, bytes: Buffer): boolean {
  const segment = Buffer.from(characters.buffer, characters.byteOffset + start, end - start).toString(
    "latin1",
  )
  return bytes.write(segment, "base64") === bytes.length && encodeBase64(bytes) === segment
}

/** How many characters one step decodes: whole groups of four. */
const PIECE_CHARACTERS = 131_072

/** `decodeBase64`, in steps. Returns null for what it refuses. */
export function* decodeCanonicalBase64InSteps(characters: Buffer): Work<Buffer | null> {
  const bytes = Buffer.allocUnsafe(base64Bytes(characters.length))
  for (let at = 0; at < characters.length; at += PIECE_CHARACTERS) {
    yield
    const end = Math.min(at + PIECE_CHARACTERS, characters.length)
    if (!decodeBase64(characters, at, end, bytes.subarray(base64Bytes(at), base64Bytes(end)))) return null
  }
  return bytes
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const CHARACTERS = Buffer.from(ALPHABET)
const INVALID = 0x40
/** Six bits, or `INVALID`, by character. */
const SEXTETS = Uint8Array.from({ length: 0x100 }, (_, code) => {
  const sextet = ALPHABET.indexOf(String.fromCharCode(code))
  return sextet === -1 ? INVALID : sextet
})

function sextet(characters: Uint8Array, index: number): number {
  return SEXTETS[characters[index] ?? 0] ?? INVALID
}

/** The unused bits at the end, by the number of characters after the last whole group of four. */
const UNUSED_BITS = [0, 0, 0x0f, 0x03] as const

function decodeShort(characters: Uint8Array, start: number, end: number, bytes: Buffer): boolean {
  const rest = (end - start) % 4
  let seen = 0
  let to = 0
  for (let from = start; from < end - rest; from += 4) {
    const a = sextet(characters, from)
    const b = sextet(characters, from + 1)
    const c = sextet(characters, from + 2)
    const d = sextet(characters, from + 3)
    seen |= a | b | c | d
    bytes[to] = (a << 2) | (b >> 4)
    bytes[to + 1] = (b << 4) | (c >> 2)
    bytes[to + 2] = (c << 6) | d
    to += 3
  }
  let bits = 0
  for (let from = end - rest; from < end; from++) {
    const last = sextet(characters, from)
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
