import { COMPRESSED_POINT_BYTES, KEY_SEGMENT_BYTES, SALT_BYTES } from "../crypto/sizes.ts"
import { MAGIC } from "../files/file-layout.ts"
import { encodeMetadata, SEALWAY_ORIGIN } from "../format/encode-metadata.ts"

export const STREAM_VERSION = 5

export const STREAM_VERSION_AT = MAGIC.length
export const DATA_OFFSET_AT = STREAM_VERSION_AT + 1
export const SEGMENT_AT = DATA_OFFSET_AT + 2
export const SALT_AT = SEGMENT_AT + KEY_SEGMENT_BYTES
export const STREAM_FLAGS_AT = SALT_AT + SALT_BYTES
export const EXPONENT_AT = STREAM_FLAGS_AT + 1
export const METADATA_AT = EXPONENT_AT + 1

/** What the header ends with. Only those who know the content key can compute it, for exactly this header. */
export const COMMITMENT_BYTES = 32
export const STREAM_KEY_BYTES = 32
/** The longest header that is read. A role has at most 20 characters; clients may add metadata. */
export const MAX_STREAM_HEADER_BYTES = 1_024

/** What a header says. */
export interface StreamHeaderFields {
  /** The ephemeral key, compressed, or a key version and a salt: 33 bytes. */
  readonly keySegment: Uint8Array
  /** 32 random bytes, never used again. */
  readonly salt: Uint8Array
  /** True for sandbox apps. */
  readonly debug: boolean
  /** A power of two, 64 to 1,048,576. */
  readonly chunkBytes: number
  /** Slug of the data role; null for none. */
  readonly role: string | null
  /** Epoch seconds. */
  readonly encryptedAt: number
}

/**
 * Writes the header of a streaming file, without the commitment that follows.
 *
 * @throws TypeError when the role is not a slug or the time is not a uint32
 */
export function writeStreamHeader(fields: StreamHeaderFields): Uint8Array<ArrayBuffer> {
  const metadata = encodeMetadata(fields.role, SEALWAY_ORIGIN, fields.encryptedAt)
  const header = new Uint8Array(METADATA_AT + metadata.length)
  header.set(MAGIC)
  header[STREAM_VERSION_AT] = STREAM_VERSION
  new DataView(header.buffer).setUint16(DATA_OFFSET_AT, header.length + COMMITMENT_BYTES, true)
  header.set(fields.keySegment, SEGMENT_AT)
  header.set(fields.salt, SALT_AT)
  header[STREAM_FLAGS_AT] = fields.debug ? 1 : 0
  header[EXPONENT_AT] = Math.log2(fields.chunkBytes)
  header.set(metadata, METADATA_AT)
  return header
}

/** Returns how long the header of a file that Sealway seals is, with its commitment. */
export function streamHeaderBytes(role: string | null): number {
  return METADATA_AT + encodeMetadata(role, SEALWAY_ORIGIN, 0).length + COMMITMENT_BYTES
}

/** The info of HKDF: the header without its commitment, and the app's P-256 key, compressed. */
export function streamKeyInfo(header: Uint8Array, appPublicKey: Uint8Array): Uint8Array<ArrayBuffer> {
  const info = new Uint8Array(header.length + COMPRESSED_POINT_BYTES)
  info.set(header)
  info.set(appPublicKey, header.length)
  return info
}
