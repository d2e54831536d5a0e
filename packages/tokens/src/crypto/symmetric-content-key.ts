import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto"
import type { ContentKey } from "./content-key.ts"
import { MAX_KEY_VERSION, SEGMENT_FLAG } from "./key-segment.ts"
import { KEY_SEGMENT_BYTES, SALT_BYTES } from "./sizes.ts"

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
 * Derives a content key: HKDF-Expand-SHA-256 with the key segment as info.
 *
 * @param valueKey the value key of the key version that the segment names, 32 bytes. As a key object: an HMAC with raw
 * bytes takes five times as long
 * @throws TypeError when the segment is not 33 bytes
 */
export function deriveSymmetricKey(valueKey: KeyObject, keySegment: Uint8Array): ContentKey {
  if (keySegment.length !== KEY_SEGMENT_BYTES) throw new TypeError("The key segment is not 33 bytes")
  const bytes = createHmac("sha256", valueKey).update(keySegment).update(FIRST_BLOCK).digest()
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}
