import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto"
import type { ContentKey } from "./content-key.ts"
import { MAX_KEY_VERSION, SEGMENT_FLAG, SUBJECT_SEGMENT } from "./key-segment.ts"
import { KEY_SEGMENT_BYTES, SALT_BYTES, SUBJECT_ID_BYTES, SUBJECT_SALT_BYTES } from "./sizes.ts"

/** The block counter of HKDF-Expand (RFC 5869, section 2.3), whose output fits in one block. */
const FIRST_BLOCK = Buffer.of(1)

/**
 * Creates a key segment with a fresh salt.
 *
 * @throws TypeError when the key version is not 1 to 127
 */
export function createKeySegment(keyVersion: number): Buffer {
  if (!Number.isInteger(keyVersion) || keyVersion < 1 || keyVersion > MAX_KEY_VERSION) {
    throw new TypeError("The key version is not 1 to 127")
  }
  return Buffer.concat([Buffer.of(SEGMENT_FLAG | keyVersion), randomBytes(SALT_BYTES)], KEY_SEGMENT_BYTES)
}

/**
 * Creates a key segment of a data subject with a fresh salt.
 *
 * @throws TypeError when the id is not 16 bytes
 */
export function createSubjectSegment(subjectId: Uint8Array): Buffer {
  if (subjectId.length !== SUBJECT_ID_BYTES) throw new TypeError("The id of the data subject is not 16 bytes")
  return Buffer.concat(
    [Buffer.of(SUBJECT_SEGMENT), subjectId, randomBytes(SUBJECT_SALT_BYTES)],
    KEY_SEGMENT_BYTES,
  )
}

/**
 * Derives a content key: HKDF-Expand-SHA-256 with the key segment as info.
 *
 * @param key the value key of the key version, or the key of the data subject, that the segment names: 32 bytes. As a
 * key object: an HMAC with raw bytes takes five times as long
 * @throws TypeError when the segment is not 33 bytes
 */
export function deriveSymmetricKey(key: KeyObject, keySegment: Uint8Array): ContentKey {
  if (keySegment.length !== KEY_SEGMENT_BYTES) throw new TypeError("The key segment is not 33 bytes")
  const bytes = createHmac("sha256", key).update(keySegment).update(FIRST_BLOCK).digest()
  const contentKey = createSecretKey(bytes)
  bytes.fill(0)
  return contentKey
}
