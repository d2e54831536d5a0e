import { isUtf8 } from "node:buffer"

/** The JSON type of a token's value. */
export type ValueType = "string" | "number" | "boolean"

/** RFC 8259, section 6. */
const NUMBER_LITERAL = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/**
 * True when a plaintext is exactly one value of the type: UTF-8 for a string, one JSON literal for the others.
 *
 * Opened numbers and booleans are written into JSON unchanged, and anyone with the app's public key can seal anything
 * as a `number`: without this check `1,"admin":true` would add fields to the document around it.
 */
export function isPlaintextOf(type: ValueType, plaintext: string | Uint8Array): boolean {
  if (type === "string") return typeof plaintext === "string" ? plaintext.isWellFormed() : isUtf8(plaintext)
  const literal = typeof plaintext === "string" ? plaintext : Buffer.from(plaintext).toString("latin1")
  return type === "number" ? NUMBER_LITERAL.test(literal) : literal === "true" || literal === "false"
}
