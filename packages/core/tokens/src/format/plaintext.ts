import { isUtf8 } from "node:buffer"
import { isLiteralOf, isTextOf, type ValueType } from "./value-type.ts"

/**
 * True when a plaintext is exactly one value of the type: UTF-8 for a string, one JSON literal for the others.
 *
 * Opened numbers and booleans are written into JSON unchanged, and anyone with the app's public key can seal anything
 * as a `number`: without this check `1,"admin":true` would add fields to the document around it.
 */
export function isPlaintextOf(type: ValueType, plaintext: string | Uint8Array): boolean {
  if (typeof plaintext === "string") return isTextOf(type, plaintext)
  return type === "string" ? isUtf8(plaintext) : isLiteralOf(type, Buffer.from(plaintext).toString("latin1"))
}
