import { sealBlob } from "../ciphertext-blob.ts"
import { encodeEncryptionContext } from "../encryption-context.ts"
import { KEY_IDENTIFIER_CONSTRAINTS, keyArn } from "../key-identifier.ts"
import { bytesMember, refuseMembers, stringMember } from "../request-members.ts"
import { ENCRYPTION_ALGORITHM, requireSymmetric, requireSymmetricAlgorithm } from "./encryption-algorithm.ts"
import type { KmsOperation } from "./operation.ts"

const MAX_PLAINTEXT_BYTES = 4096

/** Encrypt. */
export const encrypt: KmsOperation = async (members, keys) => {
  refuseMembers(members, ["DryRun", "GrantTokens"])
  const keyId = stringMember(members, "KeyId", KEY_IDENTIFIER_CONSTRAINTS)
  const plaintext = bytesMember(members, "Plaintext", MAX_PLAINTEXT_BYTES)
  const context = encodeEncryptionContext(members.EncryptionContext)
  requireSymmetricAlgorithm(members)
  const key = requireSymmetric(keys.resolve(keyId))
  return {
    CiphertextBlob: sealBlob(key, plaintext, context).toString("base64"),
    EncryptionAlgorithm: ENCRYPTION_ALGORITHM,
    KeyId: keyArn(key.id),
  }
}
