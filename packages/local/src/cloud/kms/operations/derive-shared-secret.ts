import { diffieHellman } from "node:crypto"
import { KEY_IDENTIFIER_CONSTRAINTS, keyArn } from "../key-identifier.ts"
import { refuseMembers, stringMember } from "../request-members.ts"
import { publicKeyMember, requireAgreementAlgorithm, requireAgreementKey } from "./key-agreement.ts"
import type { KmsOperation } from "./operation.ts"

/** DeriveSharedSecret: answers the raw shared secret, the x coordinate of the common point. */
export const deriveSharedSecret: KmsOperation = async (members, keys) => {
  refuseMembers(members, ["DryRun", "GrantTokens", "Recipient"])
  const keyId = stringMember(members, "KeyId", KEY_IDENTIFIER_CONSTRAINTS)
  const KeyAgreementAlgorithm = requireAgreementAlgorithm(members)
  const publicKey = publicKeyMember(members)
  const { id, secret } = requireAgreementKey(keys.resolve(keyId))
  return {
    KeyAgreementAlgorithm,
    KeyId: keyArn(id),
    KeyOrigin: "AWS_KMS",
    SharedSecret: diffieHellman({ privateKey: secret, publicKey }).toString("base64"),
  }
}
