import type { MessageType } from "@sealway/three-d-secure"
import type { KeptMessage } from "./session.ts"

/** What must not be stored: proofs of authentication, and security codes. */
const LEFT_OUT: ReadonlySet<string> = new Set(["authenticationValue", "cardSecurityCode"])

/**
 * Reduces a message to what is stored and shown: the card number masked to its last four digits, without cryptogram and
 * security code, and only the names of extensions.
 *
 * @param atMs epoch milliseconds
 */
export function keepMessage(
  message: { readonly messageType: MessageType } & Readonly<Record<string, unknown>>,
  atMs: number,
): KeptMessage {
  const data = Object.entries(message)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => [name, shownValue(name, value)])
  return { type: message.messageType, at: atMs, data: Object.fromEntries(data) }
}

function shownValue(name: string, value: unknown): unknown {
  if (name === "acctNumber" && typeof value === "string") return maskNumber(value)
  // Knowing the end of this URL allows reporting results.
  if (name === "threeDSServerURL" && typeof value === "string") return value.slice(0, value.lastIndexOf("/"))
  if (name === "messageExtension" && Array.isArray(value)) return value.map(withoutData)
  return value
}

function withoutData(extension: object): object {
  return Object.fromEntries(Object.entries(extension).filter(([name]) => name !== "data"))
}

/** Masks a number: `************4242`. */
export function maskNumber(number: string): string {
  return number.slice(-4).padStart(number.length, "*")
}
