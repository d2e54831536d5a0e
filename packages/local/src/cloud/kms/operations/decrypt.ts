import { keyIdOfBlob, openBlob } from "../ciphertext-blob.ts"
import { encodeEncryptionContext } from "../encryption-context.ts"
import { KEY_IDENTIFIER_CONSTRAINTS, keyArn } from "../key-identifier.ts"
import { KmsError } from "../kms-error.ts"
import { bytesMember, optionalStringMember, refuseMembers } from "../request-members.ts"
import { ENCRYPTION_ALGORITHM, requireSymmetric, requireSymmetricAlgorithm } from "./encryption-algorithm.ts"
import type { KmsOperation } from "./operation.ts"

const MAX_CIPHERTEXT_BYTES = 6144

/**
 * Decrypt. If the request names a key, it must be the blob's; otherwise the blob's own key is used. Anything else wrong
 * with a blob or its context gives the same answer.
 */
export const decrypt: KmsOperation = async (members, keys) => {
  refuseMembers(members, ["DryRun", "DryRunModifiers", "GrantTokens", "Recipient"])
  const blob = bytesMember(members, "CiphertextBlob", MAX_CIPHERTEXT_BYTES)
  const expectedKeyId = optionalStringMember(members, "KeyId", KEY_IDENTIFIER_CONSTRAINTS)
  const context = encodeEncryptionContext(members.EncryptionContext)
  requireSymmetricAlgorithm(members)

  const expected = expectedKeyId === undefined ? null : keys.resolve(expectedKeyId)
  const blobKeyId = keyIdOfBlob(blob)
  const key = blobKeyId === null ? null : keys.find(blobKeyId)
  if (key === null) throw invalidCiphertext()
  if (expected !== null && expected.id !== key.id) {
    throw new KmsError(
      "IncorrectKeyException",
      "The key ID in the request does not identify a CMK that can perform this operation.",
    )
  }
  const plaintext = openBlob(requireSymmetric(key), blob, context)
  if (plaintext === null) throw invalidCiphertext()
  return {
    EncryptionAlgorithm: ENCRYPTION_ALGORITHM,
    KeyId: keyArn(key.id),
    Plaintext: plaintext.toString("base64"),
  }
}

function invalidCiphertext(): KmsError {
  return new KmsError("InvalidCiphertextException", "The ciphertext or its encryption context is not valid.")
}
