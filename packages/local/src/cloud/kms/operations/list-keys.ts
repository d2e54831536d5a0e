import { keyArn } from "../key-identifier.ts"
import { KmsError } from "../kms-error.ts"
import { optionalStringMember } from "../request-members.ts"
import type { KmsOperation } from "./operation.ts"

const LIMITS = { byDefault: 100, max: 1_000 }

/** ListKeys. Its marker is the id of the last key that was listed. */
export const listKeys: KmsOperation = async (members, keys) => {
  const marker = optionalStringMember(members, "Marker", { minLength: 1, maxLength: 1_024 }) ?? ""
  const { Limit: limit = LIMITS.byDefault } = members
  if (typeof limit !== "number" || !Number.isInteger(limit)) {
    throw new KmsError("SerializationException", "The member Limit is not a whole number.")
  }
  if (limit < 1 || limit > LIMITS.max) {
    throw new KmsError("ValidationException", "The member Limit must be from 1 to 1000.")
  }
  const rest = keys.list().filter(({ id }) => id > marker)
  const page = rest.slice(0, limit)
  const isTruncated = page.length < rest.length
  return {
    Keys: page.map(({ id }) => ({ KeyId: id, KeyArn: keyArn(id) })),
    Truncated: isTruncated,
    ...(isTruncated && { NextMarker: page.at(-1)?.id }),
  }
}
