/** What a ciphertext is bound to: nothing opens it under any other context. The order does not matter. */
export type EncryptionContext = Readonly<Record<string, string>>

/** A private key on P-256 that never leaves where it was made. */
export interface AgreementKey {
  readonly keyId: string
  /** Compressed, 33 bytes. */
  readonly publicKey: Buffer
}

/** A key for key agreement that is not going to be deleted. */
export interface ListedKey {
  readonly keyId: string
  readonly tags: ReadonlyMap<string, string>
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/**
 * Keys whose secrets never come out: symmetric ones, which an administrator creates and names, and key pairs, which the
 * service creates. A key that was created is durable when the call resolves.
 *
 * All methods reject with an error that `isUnavailability` recognises when the keys cannot be reached, or too much is
 * asked of them.
 */
export interface Keys {
  /**
   * Encrypts under a symmetric key, differently each time.
   *
   * @param key its id, or its alias: `alias/sealway`
   * @param plaintext 1 to 4,096 bytes
   */
  seal(key: string, plaintext: Uint8Array, context: EncryptionContext): Promise<Uint8Array>
  /** @throws InvalidCiphertextError for another context or key, and for what is no ciphertext */
  open(key: string, ciphertext: Uint8Array, context: EncryptionContext): Promise<Uint8Array>
  /**
   * Creates a key for key agreement; another one too if the answer is lost, which nobody uses.
   *
   * @param tags how a key is found that its creator does not know of
   */
  createAgreementKey(tags: Readonly<Record<string, string>>): Promise<AgreementKey>
  /**
   * Computes the ECDH secret with another's public key.
   *
   * @param publicKey as SubjectPublicKeyInfo, in DER: see `encodeSubjectPublicKey`
   * @returns the x coordinate of the common point, 32 bytes; null when the other is no public key of the curve
   * @throws KeyUnavailableError when the key is disabled, is going to be deleted, or is gone
   */
  agree(keyId: string, publicKey: Uint8Array): Promise<Buffer | null>
  /** Lists the keys for key agreement that have all of these tags. There may be keys of others beside them. */
  listAgreementKeys(tags: Readonly<Record<string, string>>): AsyncIterable<ListedKey>
  /** Stops the use of a key for key agreement, which is deleted days later. @param days 7 to 30 */
  scheduleDeletion(keyId: string, days: number): Promise<void>
}

/** Named as KMS names it: the alarm on errors of KMS counts the name in logs. */
export class InvalidCiphertextError extends Error {
  override readonly name = "InvalidCiphertextException"
}
