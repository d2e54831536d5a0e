import type { SealedContent } from "../crypto/content-key.ts"
import { isCompressedPoint } from "../crypto/points.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import {
  DATA_OFFSET_AT,
  DEBUG_FLAG,
  FILE_HEADER_BYTES,
  FLAGS_AT,
  IV_AT,
  isFile,
  KEY_AT,
  VERSION_AT,
} from "./file-layout.ts"

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

/** Returns what a file's cipher authenticates beside the content; null for nothing. */
export function fileAdditionalData({ version }: FileHeader, appPublicKey: Uint8Array): Uint8Array | null {
  return version === 3 ? appPublicKey : null
}
