import type { Kms } from "../stage/aws-clients.ts"

/** What the ciphertext is bound to. KMS refuses to decrypt it under any other context. */
export type EncryptionContext = Readonly<Record<string, string>>

/** Encrypts small secrets under the stage's KMS key. */
export interface KmsEnvelope {
  /** @param plaintext at most 4,096 bytes */
  seal(plaintext: Uint8Array, context: EncryptionContext): Promise<Uint8Array>
  /** @throws any error of the KMS client; `InvalidCiphertextException` for a different context */
  open(ciphertext: Uint8Array, context: EncryptionContext): Promise<Uint8Array>
}

export function createKmsEnvelope(client: Kms, keyId: string): KmsEnvelope {
  return {
    async seal(plaintext, context) {
      const { CiphertextBlob } = await client.call("Encrypt", {
        KeyId: keyId,
        Plaintext: plaintext,
        EncryptionContext: { ...context },
      })
      if (CiphertextBlob === undefined) throw new Error("KMS answered Encrypt without a ciphertext")
      return CiphertextBlob
    },
    async open(ciphertext, context) {
      const { Plaintext } = await client.call("Decrypt", {
        KeyId: keyId,
        CiphertextBlob: ciphertext,
        EncryptionContext: { ...context },
      })
      if (Plaintext === undefined) throw new Error("KMS answered Decrypt without a plaintext")
      return Plaintext
    },
  }
}
