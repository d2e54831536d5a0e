import type { EncryptionContext, Keys } from "@sealway/ports"

/** Encrypts small secrets under the stage's KMS key. */
export interface KmsEnvelope {
  /** @param plaintext at most 4,096 bytes */
  seal(plaintext: Uint8Array, context: EncryptionContext): Promise<Uint8Array>
  /** @throws InvalidCiphertextError for a different context, and any error of `Keys` */
  open(ciphertext: Uint8Array, context: EncryptionContext): Promise<Uint8Array>
}

/** @param key its id, ARN or alias */
export function createKmsEnvelope(keys: Pick<Keys, "seal" | "open">, key: string): KmsEnvelope {
  return {
    seal: (plaintext, context) => keys.seal(key, plaintext, context),
    open: (ciphertext, context) => keys.open(key, ciphertext, context),
  }
}
