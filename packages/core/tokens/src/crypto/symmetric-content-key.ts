import { createSecretKey, hash, randomBytes } from "node:crypto"
import type { ContentKey } from "./content-key.ts"
import { MAX_KEY_VERSION, SEGMENT_FLAG, SUBJECT_SEGMENT } from "./key-segment.ts"
import { KEY_SEGMENT_BYTES, SALT_BYTES, SUBJECT_ID_BYTES, SUBJECT_SALT_BYTES } from "./sizes.ts"

/** The block counter of HKDF-Expand (RFC 5869, section 2.3), whose output fits in one block. */
const FIRST_BLOCK = Buffer.of(1)
const SHA256_BYTES = 32

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

/** The block of SHA-256, to which HMAC pads its key (RFC 2104). */
const BLOCK_BYTES = 64
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c

/** Derives the content key of a key segment. @throws TypeError when the segment is not 33 bytes */
export type SymmetricDerivation = (keySegment: Uint8Array) => ContentKey

/**
 * Creates a derivation of content keys: HKDF-Expand-SHA-256 with the key segment as info.
 *
 * It computes the HMAC as two digests. `createHmac` takes half as long again, and leaves an object for each value that the
 * garbage collector must free.
 *
 * @param key the value key of the key version, or the key of the data subject, that the segments name: 32 bytes
 */
export function createSymmetricDerivation(key: Uint8Array): SymmetricDerivation {
  const inner = paddedKey(key, INNER_PAD, KEY_SEGMENT_BYTES + FIRST_BLOCK.length)
  inner.set(FIRST_BLOCK, BLOCK_BYTES + KEY_SEGMENT_BYTES)
  const outer = paddedKey(key, OUTER_PAD, SHA256_BYTES)
  return (keySegment) => {
    if (keySegment.length !== KEY_SEGMENT_BYTES) throw new TypeError("The key segment is not 33 bytes")
    inner.set(keySegment, BLOCK_BYTES)
    outer.write(hash("sha256", inner, "binary"), BLOCK_BYTES, "binary")
    const bytes = hash("sha256", outer, "buffer")
    const contentKey = createSecretKey(bytes)
    bytes.fill(0)
    return contentKey
  }
}

/** Returns the key, padded to a block, and room for what follows it. */
function paddedKey(key: Uint8Array, pad: number, bytesAfter: number): Buffer {
  const padded = Buffer.alloc(BLOCK_BYTES + bytesAfter)
  padded.fill(pad, 0, BLOCK_BYTES)
  for (const [index, byte] of key.entries()) padded[index] = byte ^ pad
  return padded
}
