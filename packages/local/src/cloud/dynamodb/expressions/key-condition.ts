import { notOffered } from "../dynamodb-error.ts"
import { type Condition, type ParsedExpression, parseCondition } from "./condition.ts"

/** The condition of a query: a partition, and a prefix of sort keys; null for all of them. */
export interface KeyCondition {
  readonly partition: { readonly attribute: string; readonly value: string }
  readonly sort: { readonly attribute: string; readonly value: string } | null
}

/**
 * Parses `pk = :pk`, with or without `AND begins_with(sk, :prefix)`.
 *
 * @throws DynamoDbError ValidationException for anything else
 */
export function parseKeyCondition(expression: string): ParsedExpression<KeyCondition> {
  const { tree, placeholders } = parseCondition(expression)
  return { tree: keyConditionOf(tree), placeholders }
}

function keyConditionOf(condition: Condition): KeyCondition {
  if (condition.kind !== "and") return { partition: partitionOf(condition), sort: null }
  const [begins, other] =
    condition.left.kind === "begins" ? [condition.left, condition.right] : [condition.right, condition.left]
  if (begins.kind !== "begins") throw unlikeOurs()
  const { attribute, value } = begins
  return { partition: partitionOf(other), sort: { attribute, value } }
}

function partitionOf(condition: Condition): KeyCondition["partition"] {
  if (condition.kind !== "compare" || condition.comparator !== "=") throw unlikeOurs()
  const { left, right } = condition
  if (!("attribute" in left) || !("value" in right)) throw unlikeOurs()
  return { attribute: left.attribute, value: right.value }
}

function unlikeOurs() {
  return notOffered("key conditions but an equal partition key and a beginning of the sort key")
}
