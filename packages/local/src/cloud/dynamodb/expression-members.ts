import { DynamoDbError, invalid } from "./dynamodb-error.ts"
import { type Condition, type ParsedExpression, parseCondition } from "./expressions/condition.ts"
import { evaluateCondition } from "./expressions/evaluate-condition.ts"
import { definePlaceholders, type Placeholders } from "./expressions/placeholders.ts"
import { choiceMember, optionalTextMember, type RequestMembers } from "./request-members.ts"
import { type AttributeValue, type Item, objectOf, parseValue } from "./values/attribute-value.ts"

/** The fields of every request that has expressions. */
export const EXPRESSION_MEMBERS = ["ExpressionAttributeNames", "ExpressionAttributeValues"] as const

const NAME = /^#[A-Za-z0-9_]+$/
const VALUE = /^:[A-Za-z0-9_]+$/

/**
 * Resolves the placeholders of a request's expressions.
 *
 * @param expressions all of the request's; null for one that it does not have
 * @throws DynamoDbError ValidationException
 */
export function placeholdersOf(
  members: RequestMembers,
  expressions: readonly (ParsedExpression<unknown> | null)[],
): Placeholders {
  const used = new Set(expressions.flatMap((each) => [...(each?.placeholders ?? [])]))
  const names = new Map<string, string>()
  const values = new Map<string, AttributeValue>()
  for (const [key, name] of Object.entries(objectOf(members.get("ExpressionAttributeNames") ?? {}))) {
    if (!NAME.test(key) || typeof name !== "string" || name === "") {
      throw invalid("ExpressionAttributeNames contains an invalid key or value.")
    }
    names.set(key, name)
  }
  for (const [key, value] of Object.entries(objectOf(members.get("ExpressionAttributeValues") ?? {}))) {
    if (!VALUE.test(key)) throw invalid("ExpressionAttributeValues contains an invalid key.")
    values.set(key, parseValue(value))
  }
  return definePlaceholders(used, names, values)
}

/** Parses the condition of a request. @throws DynamoDbError ValidationException */
export function conditionMember(members: RequestMembers): ParsedExpression<Condition> | null {
  const expression = optionalTextMember(members, "ConditionExpression")
  return expression === null ? null : parseCondition(expression)
}

/**
 * Checks the condition of a request.
 *
 * @param members say whether a failure includes the item
 * @throws DynamoDbError ConditionalCheckFailedException when there is a condition and the item fails it
 */
export function requireCondition(
  members: RequestMembers,
  condition: ParsedExpression<Condition> | null,
  item: Item | null,
  placeholders: Placeholders,
): void {
  const shown = choiceMember(members, "ReturnValuesOnConditionCheckFailure", ["NONE", "ALL_OLD"])
  if (condition === null || evaluateCondition(condition.tree, item, placeholders)) return
  throw new DynamoDbError("ConditionalCheckFailedException", "The conditional request failed", {
    item: shown === "ALL_OLD" && item !== null ? Object.fromEntries(item) : null,
  })
}
