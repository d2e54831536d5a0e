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
