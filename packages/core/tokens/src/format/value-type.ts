/** The JSON type of a token's value. */
export type ValueType = "string" | "number" | "boolean"

/** RFC 8259, section 6. */
const NUMBER_LITERAL = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** True when a text is exactly one value of the type: Unicode for a string, one JSON literal for the others. */
export function isTextOf(type: ValueType, text: string): boolean {
  return type === "string" ? text.isWellFormed() : isLiteralOf(type, text)
}

/** True when a text is exactly one JSON literal of the type. */
export function isLiteralOf(type: "number" | "boolean", text: string): boolean {
  return type === "number" ? NUMBER_LITERAL.test(text) : text === "true" || text === "false"
}
