import { keyVersionOf } from "../crypto/key-segment.ts"
import { isCompressedPoint } from "../crypto/points.ts"
import { COMPRESSED_POINT_BYTES, IV_BYTES, TAG_BYTES } from "../crypto/sizes.ts"

/** `%EVENC` */
export const MAGIC = [0x25, 0x45, 0x56, 0x45, 0x4e, 0x43] as const
export const DEBUG_FLAG = 0x01

export const VERSION_AT = MAGIC.length
const DATA_OFFSET_AT = VERSION_AT + 1
export const KEY_AT = DATA_OFFSET_AT + 2
export const IV_AT = KEY_AT + COMPRESSED_POINT_BYTES
export const FLAGS_AT = IV_AT + IV_BYTES

/** Where the ciphertext starts: 55. */
export const FILE_HEADER_BYTES = FLAGS_AT + 1
/** A little-endian CRC-32 of everything before it. */
export const FILE_CRC_BYTES = 4
/** How much longer an encrypted file is than its content: 75 bytes. An encrypted empty file is just as long. */
export const FILE_OVERHEAD_BYTES = FILE_HEADER_BYTES + TAG_BYTES + FILE_CRC_BYTES

/** True when the bytes start like an encrypted file. It may still fail to open. */
export function isFile(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte)
}

/**
 * 2: secp256k1, the ECDH secret as the key, no additional data. 3: P-256, the X9.63 KDF, the app's key as additional
 * data. 4: symmetric, the header and the app's key as additional data.
 */
export type FileVersion = 2 | 3 | 4

/**
 * Returns the version that a header names; null when the bytes do not start with the header of a readable version. Files
 * with metadata (another data offset) are not readable: no version with data roles is specified.
 */
export function fileVersionOf(bytes: Uint8Array): FileVersion | null {
  const version = bytes[VERSION_AT]
  const isReadable =
    bytes.length >= FILE_HEADER_BYTES &&
    isFile(bytes) &&
    bytes[DATA_OFFSET_AT] === FILE_HEADER_BYTES &&
    bytes[DATA_OFFSET_AT + 1] === 0 &&
    ((bytes[FLAGS_AT] ?? 0) & ~DEBUG_FLAG) === 0
  const keySegment = bytes.subarray(KEY_AT, IV_AT)
  if (!isReadable) return null
  if (version === 4) return keyVersionOf(keySegment) === null ? null : version
  return (version === 2 || version === 3) && isCompressedPoint(keySegment) ? version : null
}

/**
 * Writes the header of a file.
 *
 * @param keySegment the ephemeral key or, in version 4, the key version and the salt: 33 bytes
 */
export function writeFileHeader(
  version: 3 | 4,
  debug: boolean,
  keySegment: Uint8Array,
  iv: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(FILE_HEADER_BYTES)
  header.set(MAGIC)
  header[VERSION_AT] = version
  header[DATA_OFFSET_AT] = FILE_HEADER_BYTES // little-endian: the second byte is 0
  header.set(keySegment, KEY_AT)
  header.set(iv, IV_AT)
  header[FLAGS_AT] = debug ? DEBUG_FLAG : 0
  return header
}

/** Writes a CRC-32 the way a file ends with it. */
export function writeFileCrc(crc: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([0, 8, 16, 24], (shift) => (crc >>> shift) & 0xff)
}
