import { invalid, notOffered } from "../dynamodb-error.ts"
import type { AttributeValue, Item } from "../values/attribute-value.ts"
import { addDecimals, type Decimal, formatDecimal, negateDecimal, parseDecimal } from "../values/decimal.ts"
import type { Placeholders } from "./placeholders.ts"
import type { SetAction, Update, UpdateTerm } from "./update.ts"

/**
 * Refuses updates that change an attribute twice, or the key.
 *
 * @throws DynamoDbError ValidationException
 */
export function checkUpdate(update: Update, keyNames: readonly string[], placeholders: Placeholders): void {
  const changed = [...update.set, ...update.add].map(({ attribute }) => attribute).concat(update.remove)
  const names = changed.map((name) => placeholders.attribute(name))
  if (new Set(names).size < names.length) throw invalid("Two document paths overlap with each other.")
  if (names.some((name) => keyNames.includes(name))) {
    throw invalid("Cannot update an attribute that is part of the key.")
  }
  for (const { value } of update.add) {
    const type = Object.keys(placeholders.value(value))[0] ?? ""
    if (["SS", "NS", "BS"].includes(type)) throw notOffered("ADD of sets")
    if (type !== "N") throw invalid("Incorrect operand type for operator or function; operator: ADD.")
  }
}

/**
 * Returns the item after an update. All reads see the item before the update.
 *
 * @throws DynamoDbError ValidationException when an attribute that is read is absent, or is not a number to add to
 */
export function applyUpdate(update: Update, item: Item, placeholders: Placeholders): Item {
  const after = new Map(item)
  for (const action of update.set)
    after.set(placeholders.attribute(action.attribute), setValue(action, item, placeholders))
  for (const { attribute, value } of update.add) {
    const name = placeholders.attribute(attribute)
    const total = addDecimals(numberOf(item.get(name) ?? { N: "0" }), numberOf(placeholders.value(value)))
    after.set(name, { N: formatDecimal(total) })
  }
  for (const attribute of update.remove) after.delete(placeholders.attribute(attribute))
  return after
}

function setValue({ term, change }: SetAction, item: Item, placeholders: Placeholders): AttributeValue {
  const value = termOf(term, item, placeholders)
  if (change === null) return value
  const by = numberOf(termOf(change.term, item, placeholders))
  const sum = addDecimals(numberOf(value), change.operator === "+" ? by : negateDecimal(by))
  return { N: formatDecimal(sum) }
}

function termOf(term: UpdateTerm, item: Item, placeholders: Placeholders): AttributeValue {
  if ("value" in term) return placeholders.value(term.value)
  const value = item.get(placeholders.attribute(term.attribute))
  if (value !== undefined) return value
  if ("otherwise" in term) return termOf(term.otherwise, item, placeholders)
  throw invalid("The provided expression refers to an attribute that does not exist in the item.")
}

function numberOf(value: AttributeValue): Decimal {
  if (!("N" in value)) throw invalid("An operand in the update expression has an incorrect data type.")
  return parseDecimal(value.N)
}
