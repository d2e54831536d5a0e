import { formatDecimal, parseDecimal } from "./decimal.ts"
import { invalid } from "./invalid-record.ts"

/** An attribute's value in the API's form. Numbers are strings in the form of `formatDecimal`, bytes are base64. */
export type AttributeValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly AttributeValue[] }
  | { readonly M: Readonly<Record<string, AttributeValue>> }

/** By attribute name. */
export type Item = ReadonlyMap<string, AttributeValue>

/** As AWS counts them, starting at the item's attributes. */
const MAX_DEPTH = 32

/** @throws InvalidRecordError */
export function parseItem(value: unknown): Item {
  return new Map(
    Object.entries(objectOf(value)).map(([name, each]) => [attributeName(name), parseValue(each, 1)]),
  )
}

/** @throws InvalidRecordError */
export function parseValue(value: unknown, depth = 1): AttributeValue {
  if (depth > MAX_DEPTH) throw invalid("Nesting levels have exceeded supported limits.")
  const entries = Object.entries(objectOf(value))
  const [type, content] = entries[0] ?? []
  if (entries.length !== 1) {
    throw invalid(
      "Supplied AttributeValue has more than one datatypes set, or none: it must contain exactly one.",
    )
  }
  switch (type) {
    case "S":
      return { S: textOf(content) }
    case "N":
      return { N: numberOf(content) }
    case "B":
      return { B: bytesOf(content) }
    case "BOOL":
      if (typeof content !== "boolean") break
      return { BOOL: content }
    case "NULL":
      if (content !== true) break
      return { NULL: true }
    case "L":
      if (!Array.isArray(content)) break
      return { L: content.map((each) => parseValue(each, depth + 1)) }
    case "M":
      // Object.fromEntries defines its fields, so a name like __proto__ is an ordinary one.
      return {
        M: Object.fromEntries(
          Object.entries(objectOf(content)).map(([name, each]) => [
            textOf(name),
            parseValue(each, depth + 1),
          ]),
        ),
      }
  }
  throw invalid("Supplied AttributeValue is empty, or of a type that it cannot have.")
}

/** @throws InvalidRecordError when it is not an object */
function objectOf(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("A map was expected.")
  return value
}

function attributeName(name: string): string {
  if (name === "") throw invalid("An attribute name must not be empty.")
  return textOf(name)
}

/** Half a surrogate pair has no UTF-8 form, so it could not be read back. */
function textOf(value: unknown): string {
  if (typeof value !== "string" || !value.isWellFormed()) throw invalid("A text in Unicode was expected.")
  return value
}

function numberOf(value: unknown): string {
  return formatDecimal(parseDecimal(textOf(value)))
}

function bytesOf(value: unknown): string {
  const text = textOf(value)
  // Node.js skips what is not base64; encoding again shows whether it skipped anything.
  if (Buffer.from(text, "base64").toString("base64") !== text) throw invalid("Bytes in base64 were expected.")
  return text
}
