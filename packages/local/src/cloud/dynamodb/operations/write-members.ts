import { allowMembers, choiceMember, type RequestMembers } from "../request-members.ts"
import type { Item } from "../values/attribute-value.ts"
import { ACCOUNTING_MEMBERS } from "./operation.ts"

/**
 * Refuses fields that a write does not support.
 *
 * @param names the fields in addition to those of every write
 * @throws DynamoDbError ValidationException
 */
export function allowWriteMembers(members: RequestMembers, names: readonly string[]): void {
  const common = ["TableName", "ReturnValues", "ReturnValuesOnConditionCheckFailure", ...ACCOUNTING_MEMBERS]
  allowMembers(members, [...common, ...names])
  for (const name of ACCOUNTING_MEMBERS) choiceMember(members, name, ["NONE"])
}

/**
 * Returns which part of the item to answer with.
 *
 * @param choices those that the write supports
 * @throws DynamoDbError ValidationException
 */
export function returnValues<Choice extends string>(
  members: RequestMembers,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  return choiceMember(members, "ReturnValues", choices)
}

/** Returns the field of the answer with the item; nothing when there is none. */
export function attributesOf(item: Item | null): { readonly Attributes?: object } {
  return item === null ? {} : { Attributes: Object.fromEntries(item) }
}
