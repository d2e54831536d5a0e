import { invalid } from "../dynamodb-error.ts"
import type { AttributeValue } from "../values/attribute-value.ts"

/** Resolves the placeholders of a request's expressions. */
export interface Placeholders {
  /** Returns the attribute name for a placeholder or a bare name. */
  attribute(name: string): string
  value(name: string): AttributeValue
}

/**
 * @param used those of all the request's expressions
 * @throws DynamoDbError ValidationException when one is used and undefined, or defined and unused
 */
export function definePlaceholders(
  used: ReadonlySet<string>,
  names: ReadonlyMap<string, string>,
  values: ReadonlyMap<string, AttributeValue>,
): Placeholders {
  for (const name of used) {
    if (!names.has(name) && !values.has(name))
      throw invalid("A name or value that is used in an expression is not defined.")
  }
  for (const name of [...names.keys(), ...values.keys()]) {
    if (!used.has(name)) throw invalid("A name or value is provided that is unused in expressions.")
  }
  return {
    attribute: (name) => (name.startsWith("#") ? defined(names.get(name)) : name),
    value: (name) => defined(values.get(name)),
  }
}

function defined<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError("Placeholders have been checked")
  return value
}
