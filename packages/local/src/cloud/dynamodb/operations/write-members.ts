import { allowMembers, choiceMember, type RequestMembers } from "../request-members.ts"
import type { Item } from "../values/attribute-value.ts"
import { ACCOUNTING_MEMBERS } from "./operation.ts"

/**
 * Refuses members that a write does not offer.
 *
 * @param names besides those of every write
 * @throws DynamoDbError ValidationException
 */
export function allowWriteMembers(members: RequestMembers, names: readonly string[]): void {
  const common = ["TableName", "ReturnValues", "ReturnValuesOnConditionCheckFailure", ...ACCOUNTING_MEMBERS]
  allowMembers(members, [...common, ...names])
  for (const name of ACCOUNTING_MEMBERS) choiceMember(members, name, ["NONE"])
}

/**
 * What of the item is answered.
 *
 * @param choices those that the write offers
 * @throws DynamoDbError ValidationException
 */
export function returnValues<Choice extends string>(
  members: RequestMembers,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  return choiceMember(members, "ReturnValues", choices)
}

/** The member of the answer that tells the item; none when there is none. */
export function attributesOf(item: Item | null): { readonly Attributes?: object } {
  return item === null ? {} : { Attributes: Object.fromEntries(item) }
}
