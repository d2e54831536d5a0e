import { createPublicKey } from "node:crypto"
import { KEY_IDENTIFIER_CONSTRAINTS, keyArn } from "../key-identifier.ts"
import { refuseMembers, stringMember } from "../request-members.ts"
import { requireAgreementKey } from "./key-agreement.ts"
import type { KmsOperation } from "./operation.ts"

/** GetPublicKey, in the form of SubjectPublicKeyInfo (RFC 5280). */
export const getPublicKey: KmsOperation = async (members, keys) => {
  refuseMembers(members, ["GrantTokens"])
  const key = requireAgreementKey(keys.resolve(stringMember(members, "KeyId", KEY_IDENTIFIER_CONSTRAINTS)))
  const publicKey = createPublicKey(key.secret).export({ format: "der", type: "spki" })
  return {
    CustomerMasterKeySpec: key.spec,
    KeyAgreementAlgorithms: ["ECDH"],
    KeyId: keyArn(key.id),
    KeySpec: key.spec,
    KeyUsage: "KEY_AGREEMENT",
    PublicKey: publicKey.toString("base64"),
  }
}
