import { KEY_IDENTIFIER_CONSTRAINTS } from "../key-identifier.ts"
import { keyMetadata } from "../key-metadata.ts"
import { refuseMembers, stringMember } from "../request-members.ts"
import type { KmsOperation } from "./operation.ts"

/** DescribeKey. */
export const describeKey: KmsOperation = async (members, keys) => {
  refuseMembers(members, ["GrantTokens"])
  return {
    KeyMetadata: keyMetadata(keys.resolve(stringMember(members, "KeyId", KEY_IDENTIFIER_CONSTRAINTS))),
  }
}
