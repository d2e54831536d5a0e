/** The CRC-32 of IEEE 802.3, in the reflected form: one entry for each value of a byte. */
const TABLE = /* @__PURE__ */ Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (0xedb8_8320 & -(remainder & 1))
  return remainder
})

/**
 * Computes the CRC-32 of bytes, for runtimes without `node:zlib`, and for texts so short that loading it takes longer.
 *
 * @param before the CRC-32 of what precedes the bytes. Default: of nothing
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  let remainder = ~before
  // Several times as fast as iterating over the bytes.
  for (let at = 0; at < bytes.length; at++) {
    remainder = (TABLE[(remainder ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (remainder >>> 8)
  }
  return ~remainder >>> 0
}
