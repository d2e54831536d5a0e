import { keyMetadata } from "../key-metadata.ts"
import type { KmsKey } from "../key-store.ts"
import { KmsError } from "../kms-error.ts"
import { optionalStringMember, refuseMembers } from "../request-members.ts"
import { tagsOf } from "./key-tags.ts"
import type { KmsOperation } from "./operation.ts"

const NOT_OFFERED = [
  "BypassPolicyLockoutSafetyCheck",
  "CustomKeyStoreId",
  "MultiRegion",
  "Origin",
  "Policy",
  "XksKeyId",
]

const SYMMETRIC = "SYMMETRIC_DEFAULT"
const USAGES = { [SYMMETRIC]: "ENCRYPT_DECRYPT", ECC_NIST_P256: "KEY_AGREEMENT" } as const satisfies Record<
  KmsKey["spec"],
  string
>
const NAME = { minLength: 1, maxLength: 64 }

/** CreateKey, for symmetric encryption keys and for key agreement on P-256. */
export const createKey: KmsOperation = async (members, keys) => {
  refuseMembers(members, NOT_OFFERED)
  const olderName = optionalStringMember(members, "CustomerMasterKeySpec", NAME)
  const spec = optionalStringMember(members, "KeySpec", NAME) ?? olderName ?? SYMMETRIC
  const usage = optionalStringMember(members, "KeyUsage", NAME) ?? "ENCRYPT_DECRYPT"
  if (!isOfferedSpec(spec)) throw notOffered("KeySpec", Object.keys(USAGES))
  if (!Object.values<string>(USAGES).includes(usage)) throw notOffered("KeyUsage", Object.values(USAGES))
  if (USAGES[spec] !== usage || (olderName ?? spec) !== spec) {
    throw new KmsError("ValidationException", "The KeyUsage is not compatible with the KeySpec.")
  }
  const description = optionalStringMember(members, "Description", { minLength: 0, maxLength: 8192 }) ?? ""
  return { KeyMetadata: keyMetadata(await keys.createKey(description, spec, tagsOf(members))) }
}

function isOfferedSpec(spec: string): spec is KmsKey["spec"] {
  return Object.hasOwn(USAGES, spec)
}

function notOffered(name: string, offered: readonly string[]): KmsError {
  return new KmsError(
    "UnsupportedOperationException",
    `The embedded KMS supports only the ${name} ${offered.join(" and ")}.`,
  )
}
