import { keyMetadata } from "../key-metadata.ts"
import { KmsError } from "../kms-error.ts"
import { optionalStringMember, type RequestMembers, refuseMembers } from "../request-members.ts"
import type { KmsOperation } from "./operation.ts"

const NOT_OFFERED = [
  "BypassPolicyLockoutSafetyCheck",
  "CustomKeyStoreId",
  "MultiRegion",
  "Origin",
  "Policy",
  "Tags",
  "XksKeyId",
]

/** CreateKey, for symmetric encryption keys. */
export const createKey: KmsOperation = async (members, keys) => {
  refuseMembers(members, NOT_OFFERED)
  requireValue(members, "KeySpec", "SYMMETRIC_DEFAULT")
  requireValue(members, "CustomerMasterKeySpec", "SYMMETRIC_DEFAULT")
  requireValue(members, "KeyUsage", "ENCRYPT_DECRYPT")
  const description = optionalStringMember(members, "Description", { minLength: 0, maxLength: 8192 }) ?? ""
  return { KeyMetadata: keyMetadata(await keys.createKey(description)) }
}

function requireValue(members: RequestMembers, name: string, offered: string): void {
  const value = optionalStringMember(members, name, { minLength: 1, maxLength: 64 })
  if (value !== undefined && value !== offered) {
    throw new KmsError(
      "UnsupportedOperationException",
      `The embedded KMS supports only the ${name} ${offered}.`,
    )
  }
}
