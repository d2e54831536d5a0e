import { type KmsKey, requireInUse, type SymmetricKey } from "../key-store.ts"
import { KmsError } from "../kms-error.ts"
import { optionalStringMember, type RequestMembers } from "../request-members.ts"

/** The only algorithm of symmetric keys. */
export const ENCRYPTION_ALGORITHM = "SYMMETRIC_DEFAULT"

/** @throws KmsError InvalidKeyUsageException when a request names the algorithm of another kind of key. */
export function requireSymmetricAlgorithm(members: RequestMembers): void {
  const pattern = /^(SYMMETRIC_DEFAULT|RSAES_OAEP_SHA_1|RSAES_OAEP_SHA_256|SM2PKE)$/
  const algorithm = optionalStringMember(members, "EncryptionAlgorithm", {
    minLength: 1,
    maxLength: 64,
    pattern,
  })
  if (algorithm !== undefined && algorithm !== ENCRYPTION_ALGORITHM) {
    throw new KmsError("InvalidKeyUsageException", "The algorithm does not fit the key.")
  }
}

/** @throws KmsError InvalidKeyUsageException, or KMSInvalidStateException when the key is going to be deleted */
export function requireSymmetric(key: KmsKey): SymmetricKey {
  if (key.spec !== "SYMMETRIC_DEFAULT") {
    throw new KmsError("InvalidKeyUsageException", "The key is not one that encrypts and decrypts.")
  }
  requireInUse(key)
  return key
}
