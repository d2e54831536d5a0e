import { KEY_IDENTIFIER_CONSTRAINTS } from "../key-identifier.ts"
import { KmsError } from "../kms-error.ts"
import { stringMember } from "../request-members.ts"
import type { KmsOperation } from "./operation.ts"

/** CreateAlias. */
export const createAlias: KmsOperation = async (members, keys) => {
  const alias = stringMember(members, "AliasName", {
    minLength: 1,
    maxLength: 256,
    pattern: /^alias\/[a-zA-Z0-9/_-]+$/,
  })
  if (alias.startsWith("alias/aws/")) {
    throw new KmsError("NotAuthorizedException", "Names that begin with alias/aws/ belong to AWS")
  }
  const target = stringMember(members, "TargetKeyId", KEY_IDENTIFIER_CONSTRAINTS)
  if (target.includes("alias/")) {
    throw new KmsError("ValidationException", "Aliases must refer to keys. Not aliases")
  }
  await keys.createAlias(alias, keys.resolve(target))
  return null
}
