import type { SealedContent } from "../crypto/content-key.ts"
import { keyVersionOf } from "../crypto/key-segment.ts"
import { isCompressedPoint } from "../crypto/points.ts"
import { isFile } from "../files/file-layout.ts"
import { type Metadata, splitMetadata } from "../format/metadata.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import {
  COMMITMENT_BYTES,
  DATA_OFFSET_AT,
  EXPONENT_AT,
  MAX_STREAM_HEADER_BYTES,
  METADATA_AT,
  SALT_AT,
  SEGMENT_AT,
  STREAM_FLAGS_AT,
  STREAM_VERSION,
  STREAM_VERSION_AT,
} from "./stream-header.ts"
import { CHUNK_EXPONENTS } from "./stream-layout.ts"

/** The header of a streaming file. Nothing in it is authentic until `deriveStreamKey` has returned. */
export type StreamHeader = SealedContent &
  Metadata & {
    readonly debug: boolean
    /** 32 bytes. */
    readonly salt: Buffer
    readonly chunkBytes: number
    /** The whole header, with its commitment: the first chunk follows. */
    readonly bytes: Buffer
  }

/**
 * Reads the header of a streaming file, of version 5.
 *
 * @param start the file's first bytes, at least the whole header; more may follow
 * @throws InvalidTokenError when they are not a header
 */
export function readStreamHeader(start: Uint8Array): StreamHeader {
  const bytes = Buffer.from(start)
  if (bytes.length < METADATA_AT || !isFile(bytes) || bytes[STREAM_VERSION_AT] !== STREAM_VERSION) {
    throw new InvalidTokenError()
  }
  const end = bytes.readUInt16LE(DATA_OFFSET_AT)
  const flags = bytes[STREAM_FLAGS_AT] ?? 0
  const exponent = bytes[EXPONENT_AT] ?? 0
  if (
    end > Math.min(bytes.length, MAX_STREAM_HEADER_BYTES) ||
    end < METADATA_AT + COMMITMENT_BYTES ||
    flags > 1 ||
    exponent < CHUNK_EXPONENTS.min ||
    exponent > CHUNK_EXPONENTS.max
  ) {
    throw new InvalidTokenError()
  }
  const { role, encryptedAt, value } = splitMetadata(bytes.subarray(METADATA_AT, end - COMMITMENT_BYTES))
  if (value.length > 0) throw new InvalidTokenError()
  return {
    ...sealedContentOf(bytes.subarray(SEGMENT_AT, SALT_AT)),
    debug: flags === 1,
    salt: bytes.subarray(SALT_AT, STREAM_FLAGS_AT),
    chunkBytes: 2 ** exponent,
    role,
    encryptedAt,
    bytes: bytes.subarray(0, end),
  }
}

/** True when the bytes begin with the whole header of a streaming file. Nothing in it is authentic. */
export function isStreamingFile(bytes: Uint8Array): boolean {
  if (!isFile(bytes) || bytes[STREAM_VERSION_AT] !== STREAM_VERSION) return false
  try {
    readStreamHeader(bytes.subarray(0, MAX_STREAM_HEADER_BYTES))
    return true
  } catch (error) {
    if (error instanceof InvalidTokenError) return false
    throw error
  }
}

function sealedContentOf(segment: Buffer): SealedContent {
  const base64 = segment.toString("base64")
  const keyVersion = keyVersionOf(segment)
  if (keyVersion !== null) {
    return { derivation: "hkdf", keyVersion, keySegment: segment, keySegmentBase64: base64 }
  }
  if (!isCompressedPoint(segment)) throw new InvalidTokenError()
  return {
    curve: "prime256v1",
    derivation: "x963",
    ephemeralPublicKey: segment,
    ephemeralPublicKeyBase64: base64,
  }
}
