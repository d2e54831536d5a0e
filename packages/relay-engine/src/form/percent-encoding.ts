const PLUS = 0x2b
const PERCENT = 0x25
const SPACE = 0x20

/** What `application/x-www-form-urlencoded` leaves as it is (WHATWG URL, section 5.2). */
const UNRESERVED = new Set(
  Buffer.from("*-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "latin1"),
)

/**
 * Undoes `%` and `+` of urlencoded text, in linear time.
 *
 * @returns null when a `%` has no two hexadecimal digits behind it: some readers take it for itself, some drop it, and
 * some refuse it
 */
export function decodePercent(bytes: Buffer): Buffer | null {
  return decode(bytes, false)
}

/** The same; a `%` without two digits stays as it is. */
export function decodePercentLoosely(bytes: Buffer): Buffer {
  return decode(bytes, true) ?? bytes
}

function decode(bytes: Buffer, isLoose: boolean): Buffer | null {
  const decoded = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
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

/** Urlencoded text for bytes, as browsers write it. */
export function encodePercent(bytes: Buffer): string {
  let encoded = ""
  for (const byte of bytes) {
    if (UNRESERVED.has(byte)) encoded += String.fromCharCode(byte)
    else if (byte === SPACE) encoded += "+"
    else encoded += `%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`
  }
  return encoded
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
