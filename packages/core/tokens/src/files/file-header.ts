import type { AgreedContent, SymmetricContent } from "../crypto/content-key.ts"
import { keyVersionOf } from "../crypto/key-segment.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import {
  DEBUG_FLAG,
  type FileVersion,
  FLAGS_AT,
  fileVersionOf,
  IV_AT,
  KEY_AT,
  writeFileHeader,
} from "./file-layout.ts"

/** The header of an encrypted file. Nothing in it is authentic yet. */
export type FileHeader = (AgreedContent | SymmetricContent) & {
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
 * @throws InvalidTokenError when they are not the header of a readable version
 */
export function readFileHeader(bytes: Buffer): FileHeader {
  const version = fileVersionOf(bytes)
  if (version === null) throw new InvalidTokenError()
  return {
    ...sealedContentOf(version, Buffer.from(bytes.subarray(KEY_AT, IV_AT))),
    version,
    debug: bytes[FLAGS_AT] === DEBUG_FLAG,
    iv: Buffer.from(bytes.subarray(IV_AT, FLAGS_AT)),
  }
}

/** @throws InvalidTokenError when the segment is not of the version's kind */
function sealedContentOf(version: FileVersion, segment: Buffer): AgreedContent | SymmetricContent {
  const base64 = segment.toString("base64")
  if (version === 4) {
    const keyVersion = keyVersionOf(segment)
    if (keyVersion === null) throw new InvalidTokenError()
    return { derivation: "hkdf", keyVersion, keySegment: segment, keySegmentBase64: base64 }
  }
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
