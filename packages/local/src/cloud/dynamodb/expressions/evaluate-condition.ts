import { invalid } from "../dynamodb-error.ts"
import type { AttributeValue, Item } from "../values/attribute-value.ts"
import { compareValues, equalValues, requireOrdered, typeOf } from "../values/compare-values.ts"
import type { Comparator, Condition } from "./condition.ts"
import type { Placeholders } from "./placeholders.ts"
import type { Operand } from "./token-reader.ts"

/**
 * Evaluates a condition on an item, or without an item on one without attributes. A comparison with an absent
 * attribute, or one of another type, is false.
 *
 * @throws DynamoDbError ValidationException when a value cannot be compared in this way, whatever the item contains
 */
export function evaluateCondition(
  condition: Condition,
  item: Item | null,
  placeholders: Placeholders,
): boolean {
  const evaluate = (each: Condition): boolean => {
    switch (each.kind) {
      case "and": {
        // Both, always: whether the request is valid must not depend on the item.
        const [left, right] = [evaluate(each.left), evaluate(each.right)]
        return left && right
      }
      case "or": {
        const [left, right] = [evaluate(each.left), evaluate(each.right)]
        return left || right
      }
      case "exists":
        return attributeOf(each.attribute) !== undefined
      case "absent":
        return attributeOf(each.attribute) === undefined
      case "begins":
        return beginsWith(attributeOf(each.attribute), placeholders.value(each.value))
      case "compare":
        for (const operand of [each.left, each.right]) {
          if ("value" in operand && each.comparator !== "=") requireOrdered(placeholders.value(operand.value))
        }
        return holds(each.comparator, operandOf(each.left), operandOf(each.right))
    }
  }
  const attributeOf = (name: string) => item?.get(placeholders.attribute(name))
  const operandOf = (operand: Operand) =>
    "value" in operand ? placeholders.value(operand.value) : attributeOf(operand.attribute)
  return evaluate(condition)
}

function holds(
  comparator: Comparator,
  left: AttributeValue | undefined,
  right: AttributeValue | undefined,
): boolean {
  if (left === undefined || right === undefined) return false
  if (comparator === "=") return equalValues(left, right)
  const order = compareValues(left, right)
  if (order === null) return false
  switch (comparator) {
    case "<":
      return order < 0
    case "<=":
      return order <= 0
    case ">":
      return order > 0
    case ">=":
      return order >= 0
  }
}

function beginsWith(value: AttributeValue | undefined, beginning: AttributeValue): boolean {
  if ("S" in beginning) return value !== undefined && "S" in value && value.S.startsWith(beginning.S)
  if (!("B" in beginning))
    throw invalid(`Incorrect operand type for operator or function; operand type: ${typeOf(beginning)}.`)
  if (value === undefined || !("B" in value)) return false
  const [bytes, start] = [Buffer.from(value.B, "base64"), Buffer.from(beginning.B, "base64")]
  return bytes.subarray(0, start.length).equals(start)
}
