import { createCipheriv, createDecipheriv, createSecretKey, KeyObject, randomBytes } from "node:crypto"

const ALGORITHM = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16

/** How many bytes sealing adds: the random IV in front and the tag at the end. */
export const SEAL_BYTES = IV_BYTES + TAG_BYTES

type SealingKey = KeyObject | Uint8Array

/** Seals bytes with AES-256-GCM and a random IV: `iv (12) | ciphertext | tag (16)`. @param key 32 bytes */
export function sealBytes(key: SealingKey, plaintext: Uint8Array, additionalData: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, keyObjectOf(key), iv, { authTagLength: TAG_BYTES }).setAAD(
    additionalData,
  )
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** Opens sealed bytes. Returns null when they were not sealed with this key and this additional data. */
export function openBytes(key: SealingKey, sealed: Uint8Array, additionalData: Uint8Array): Buffer | null {
  if (sealed.length < SEAL_BYTES) return null
  const decipher = createDecipheriv(ALGORITHM, keyObjectOf(key), sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(additionalData)
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  const plaintext = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([plaintext, decipher.final()])
  } catch {
    return null
  }
}

/** Node.js 24 finds out by an exception that bytes are not a key object: 15 us a cipher instead of 5. */
function keyObjectOf(key: SealingKey): KeyObject {
  return key instanceof KeyObject ? key : createSecretKey(key)
}
