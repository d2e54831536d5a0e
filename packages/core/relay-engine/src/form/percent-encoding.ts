import { finish, type Work } from "@sealway/kernel"

const BYTES_PER_STEP = 65_536

const PLUS = 0x2b
const PERCENT = 0x25
const SPACE = 0x20

/** The bytes that `application/x-www-form-urlencoded` leaves unchanged (WHATWG URL, section 5.2). */
const IS_UNRESERVED = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[*\-._0-9a-zA-Z]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
const HEX_DIGITS = Buffer.from("0123456789ABCDEF", "latin1")

/**
 * Decodes `%` and `+` in urlencoded text, in linear time.
 *
 * @returns null when a `%` is not followed by two hexadecimal digits: some parsers keep it, some drop it, and some
 * refuse it
 */
export function decodePercent(bytes: Buffer): Buffer | null {
  return finish(decodePercentInSteps(bytes))
}

/** `decodePercent`, in steps. */
export function decodePercentInSteps(bytes: Buffer): Work<Buffer | null> {
  return decode(bytes, false)
}

/** Does the same; keeps a `%` without two digits. */
export function decodePercentLoosely(bytes: Buffer): Buffer {
  return finish(decodePercentLooselyInSteps(bytes))
}

/** `decodePercentLoosely`, in steps. */
export function* decodePercentLooselyInSteps(bytes: Buffer): Work<Buffer> {
  return (yield* decode(bytes, true)) ?? bytes
}

function* decode(bytes: Buffer, isLoose: boolean): Work<Buffer | null> {
  const decoded = Buffer.allocUnsafe(bytes.length)
  let length = 0
  let stepEnd = BYTES_PER_STEP
  for (let at = 0; at < bytes.length; at++) {
    if (at >= stepEnd) {
      stepEnd = at + BYTES_PER_STEP
      yield
    }
    let byte = bytes[at] ?? 0
    if (byte === PLUS) byte = SPACE
    else if (byte === PERCENT) {
      const high = hexDigit(bytes[at + 1])
      const low = hexDigit(bytes[at + 2])
      const isMalformed = high === -1 || low === -1
      if (isMalformed && !isLoose) return null
      if (!isMalformed) {
        byte = high * 16 + low
        at += 2
      }
    }
    decoded[length++] = byte
  }
  return decoded.subarray(0, length)
}

/** Encodes bytes as urlencoded text, as browsers do. */
export function encodePercent(bytes: Buffer): string {
  const encoded = Buffer.allocUnsafe(bytes.length * 3)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (IS_UNRESERVED[byte] === 1) encoded[length++] = byte
    else if (byte === SPACE) encoded[length++] = PLUS
    else {
      encoded[length++] = PERCENT
      encoded[length++] = HEX_DIGITS[byte >> 4] ?? 0
      encoded[length++] = HEX_DIGITS[byte & 0x0f] ?? 0
    }
  }
  return encoded.toString("latin1", 0, length)
}

/** Returns -1 when it is not a hexadecimal digit. */
export function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
