import { type CipherGCM, createCipheriv, createDecipheriv, type DecipherGCM } from "node:crypto"
import type { ContentKey } from "./content-key.ts"
import { TAG_BYTES } from "./sizes.ts"

/** Without an explicit length, Node.js accepts tags as short as 4 bytes. */
const OPTIONS = { authTagLength: TAG_BYTES } as const

/** Creates an AES-256-GCM cipher. `additionalData` is null for format versions that authenticate none. */
export function createContentCipher(
  key: ContentKey,
  iv: Uint8Array,
  additionalData: Uint8Array | null,
): CipherGCM {
  const cipher = createCipheriv("aes-256-gcm", key, iv, OPTIONS)
  return additionalData === null ? cipher : cipher.setAAD(additionalData)
}

/**
 * Creates an AES-256-GCM decipher. Do not trust what `update` returns until `final` has returned, with the tag set.
 *
 * @param additionalData null for format versions that authenticate none
 */
export function createContentDecipher(
  key: ContentKey,
  iv: Uint8Array,
  additionalData: Uint8Array | null,
): DecipherGCM {
  const decipher = createDecipheriv("aes-256-gcm", key, iv, OPTIONS)
  return additionalData === null ? decipher : decipher.setAAD(additionalData)
}
