import { invalid } from "../dynamodb-error.ts"
import type { AttributeValue } from "./attribute-value.ts"
import { compareDecimals, parseDecimal } from "./decimal.ts"

/** True when both have the same type and content; the order within sets does not matter. */
export function equalValues(left: AttributeValue, right: AttributeValue): boolean {
  if ("L" in left && "L" in right) {
    const others = right.L
    return left.L.length === others.length && left.L.every((each, index) => equalTo(each, others[index]))
  }
  if ("M" in left && "M" in right) {
    const others = new Map(Object.entries(right.M))
    const members = Object.entries(left.M)
    return members.length === others.size && members.every(([name, each]) => equalTo(each, others.get(name)))
  }
  const [members, others] = [membersOf(left), membersOf(right)]
  if (members !== null && others !== null) {
    return (
      typeOf(left) === typeOf(right) &&
      members.size === others.size &&
      [...members].every((each) => others.has(each))
    )
  }
  // Numbers are normalised, so equal ones have equal texts.
  return JSON.stringify(left) === JSON.stringify(right)
}

function equalTo(value: AttributeValue, other: AttributeValue | undefined): boolean {
  return other !== undefined && equalValues(value, other)
}

function membersOf(value: AttributeValue): ReadonlySet<string> | null {
  if ("SS" in value) return new Set(value.SS)
  if ("NS" in value) return new Set(value.NS)
  return "BS" in value ? new Set(value.BS) : null
}

/** `S`, `N` and so on. */
export function typeOf(value: AttributeValue): string {
  return Object.keys(value)[0] ?? ""
}

const ORDERED_TYPES = new Set(["S", "N", "B"])

/** @throws DynamoDbError ValidationException when values of this type have no order */
export function requireOrdered(value: AttributeValue): void {
  if (!ORDERED_TYPES.has(typeOf(value))) throw invalid("Incorrect operand type for operator or function.")
}

/**
 * Negative when the left one is smaller, positive when it is larger; null when the two have no order. Strings sort by
 * their bytes.
 */
export function compareValues(left: AttributeValue, right: AttributeValue): number | null {
  if ("N" in left && "N" in right) return compareDecimals(parseDecimal(left.N), parseDecimal(right.N))
  if ("S" in left && "S" in right) return Buffer.compare(Buffer.from(left.S), Buffer.from(right.S))
  if ("B" in left && "B" in right) {
    return Buffer.compare(Buffer.from(left.B, "base64"), Buffer.from(right.B, "base64"))
  }
  return null
}
