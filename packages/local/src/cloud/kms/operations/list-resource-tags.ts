import { KEY_IDENTIFIER_CONSTRAINTS } from "../key-identifier.ts"
import { refuseMembers, stringMember } from "../request-members.ts"
import { shownTags } from "./key-tags.ts"
import type { KmsOperation } from "./operation.ts"

/** ListResourceTags. A key has at most 50 tags, which is one page. */
export const listResourceTags: KmsOperation = async (members, keys) => {
  refuseMembers(members, ["Marker"])
  const key = keys.resolve(stringMember(members, "KeyId", KEY_IDENTIFIER_CONSTRAINTS))
  return { Tags: shownTags(key), Truncated: false }
}
