import { IV_BYTES, TAG_BYTES } from "../crypto/content-cipher.ts"
import type { SealedContent } from "../crypto/content-key.ts"
import { COMPRESSED_POINT_BYTES, isCompressedPoint } from "../crypto/curve.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"

/**
 * 2: secp256k1, the ECDH secret as the key, no additional data. 3: P-256, the X9.63 KDF, the app's key as additional
 * data.
 */
export type FileVersion = 2 | 3

/** The header of an encrypted file. Nothing in it is authentic yet. */
export interface FileHeader extends SealedContent {
  readonly version: FileVersion
  /** Whether the file claims to be a sandbox app's. Nothing is decided by it. */
  readonly debug: boolean
  /** 12 bytes. */
  readonly iv: Buffer
}

const MAGIC = Buffer.from("%EVENC", "latin1")
const DEBUG_FLAG = 0x01

const VERSION_AT = MAGIC.length
const DATA_OFFSET_AT = VERSION_AT + 1
const KEY_AT = DATA_OFFSET_AT + 2
const IV_AT = KEY_AT + COMPRESSED_POINT_BYTES
const FLAGS_AT = IV_AT + IV_BYTES

/** Where the ciphertext starts: 55. */
export const FILE_HEADER_BYTES = FLAGS_AT + 1
/** A little-endian CRC-32 of everything before it. */
export const FILE_CRC_BYTES = 4
/** How much longer an encrypted file is than its content: 75 bytes. An encrypted empty file is just as long. */
export const FILE_OVERHEAD_BYTES = FILE_HEADER_BYTES + TAG_BYTES + FILE_CRC_BYTES

/** True when the bytes start like an encrypted file. It may still fail to open. */
export function isFile(bytes: Uint8Array): boolean {
  return bytes.length >= MAGIC.length && MAGIC.equals(bytes.subarray(0, MAGIC.length))
}

/**
 * Reads the header of an encrypted file.
 *
 * @param bytes at least the first 55 bytes of the file
 * @throws InvalidTokenError when they are not the header of a readable version. Files with metadata (another data
 * offset) are refused: no version with data roles is specified.
 */
export function readFileHeader(bytes: Buffer): FileHeader {
  if (bytes.length < FILE_HEADER_BYTES || !isFile(bytes)) throw new InvalidTokenError()
  const version = bytes.readUInt8(VERSION_AT)
  const flags = bytes.readUInt8(FLAGS_AT)
  const ephemeralPublicKey = Buffer.from(bytes.subarray(KEY_AT, IV_AT))
  if (
    (version !== 2 && version !== 3) ||
    bytes.readUInt16LE(DATA_OFFSET_AT) !== FILE_HEADER_BYTES ||
    !isCompressedPoint(ephemeralPublicKey) ||
    (flags & ~DEBUG_FLAG) !== 0
  ) {
    throw new InvalidTokenError()
  }
  return {
    version,
    ...(version === 3
      ? { curve: "prime256v1", derivation: "x963" }
      : { curve: "secp256k1", derivation: "none" }),
    debug: flags === DEBUG_FLAG,
    ephemeralPublicKey,
    ephemeralPublicKeyBase64: ephemeralPublicKey.toString("base64"),
    iv: Buffer.from(bytes.subarray(IV_AT, FLAGS_AT)),
  }
}

/** Writes the header of a version 3 file. */
export function writeFileHeader(debug: boolean, ephemeralPublicKey: Uint8Array, iv: Uint8Array): Buffer {
  const header = Buffer.alloc(FILE_HEADER_BYTES)
  header.set(MAGIC)
  header.writeUInt8(3, VERSION_AT)
  header.writeUInt16LE(FILE_HEADER_BYTES, DATA_OFFSET_AT)
  header.set(ephemeralPublicKey, KEY_AT)
  header.set(iv, IV_AT)
  header.writeUInt8(debug ? DEBUG_FLAG : 0, FLAGS_AT)
  return header
}

/** Writes a CRC-32 the way a file ends with it. */
export function writeFileCrc(crc: number): Buffer {
  const bytes = Buffer.alloc(FILE_CRC_BYTES)
  bytes.writeUInt32LE(crc)
  return bytes
}

/** Returns what a file's cipher authenticates beside the content; null for nothing. */
export function fileAdditionalData({ version }: FileHeader, appPublicKey: Uint8Array): Uint8Array | null {
  return version === 3 ? appPublicKey : null
}
