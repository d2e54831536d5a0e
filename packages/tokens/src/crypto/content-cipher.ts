import { type CipherGCM, createCipheriv, createDecipheriv, type DecipherGCM } from "node:crypto"
import type { ContentKey } from "./content-key.ts"

export const IV_BYTES = 12
export const TAG_BYTES = 16

/** Without the length, Node.js would take tags as short as 4 bytes. */
const OPTIONS = { authTagLength: TAG_BYTES } as const

/** AES-256-GCM. `additionalData` is null where a format version authenticates none. */
export function createContentCipher(key: ContentKey, iv: Uint8Array, additionalData: Uint8Array): CipherGCM {
  return createCipheriv("aes-256-gcm", key, iv, OPTIONS).setAAD(additionalData)
}

/**
 * AES-256-GCM. What `update` returns is not authentic before `setAuthTag` was given the tag and `final` has returned.
 *
 * @param additionalData null where a format version authenticates none
 */
export function createContentDecipher(
  key: ContentKey,
  iv: Uint8Array,
  additionalData: Uint8Array | null,
): DecipherGCM {
  const decipher = createDecipheriv("aes-256-gcm", key, iv, OPTIONS)
  return additionalData === null ? decipher : decipher.setAAD(additionalData)
}
