import type { SealedContent } from "../crypto/content-key.ts"
import { isCompressedPoint } from "../crypto/points.ts"
import { keyVersionOf } from "../crypto/symmetric-content-key.ts"
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
  writeFileHeader,
} from "./file-layout.ts"

/**
 * 2: secp256k1, the ECDH secret as the key, no additional data. 3: P-256, the X9.63 KDF, the app's key as additional
 * data. 4: symmetric, the header and the app's key as additional data.
 */
export type FileVersion = 2 | 3 | 4

/** The header of an encrypted file. Nothing in it is authentic yet. */
export type FileHeader = SealedContent & {
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
  if (
    !isFileVersion(version) ||
    bytes.readUInt16LE(DATA_OFFSET_AT) !== FILE_HEADER_BYTES ||
    (flags & ~DEBUG_FLAG) !== 0
  ) {
    throw new InvalidTokenError()
  }
  return {
    ...sealedContentOf(version, Buffer.from(bytes.subarray(KEY_AT, IV_AT))),
    version,
    debug: flags === DEBUG_FLAG,
    iv: Buffer.from(bytes.subarray(IV_AT, FLAGS_AT)),
  }
}

function isFileVersion(version: number): version is FileVersion {
  return version === 2 || version === 3 || version === 4
}

/** @throws InvalidTokenError when the segment is not of the version's kind */
function sealedContentOf(version: FileVersion, segment: Buffer): SealedContent {
  const base64 = segment.toString("base64")
  if (version === 4) {
    const keyVersion = keyVersionOf(segment)
    if (keyVersion === null) throw new InvalidTokenError()
    return { derivation: "hkdf", keyVersion, keySegment: segment, keySegmentBase64: base64 }
  }
  if (!isCompressedPoint(segment)) throw new InvalidTokenError()
  const key = { ephemeralPublicKey: segment, ephemeralPublicKeyBase64: base64 }
  return version === 3
    ? { curve: "prime256v1", derivation: "x963", ...key }
    : { curve: "secp256k1", derivation: "none", ...key }
}

/** Returns what the cipher of a file with this header authenticates beside the content; null for nothing. */
export function fileAdditionalData(header: FileHeader, appPublicKey: Uint8Array): Uint8Array | null {
  if (header.derivation !== "hkdf") return header.version === 3 ? appPublicKey : null
  // Reading is strict, so that this is the header as it was read.
  return symmetricFileData(writeFileHeader(4, header.debug, header.keySegment, header.iv), appPublicKey)
}

/**
 * Returns the additional data of a file of version 4: the whole header (55 bytes) and the app's key (33). A token's has 67
 * bytes: with the same salt, neither opens as the other.
 */
export function symmetricFileData(header: Uint8Array, appPublicKey: Uint8Array): Uint8Array {
  return Buffer.concat([header, appPublicKey])
}
