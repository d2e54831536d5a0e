import { createHmac } from "node:crypto"
import { type CardNumber, parseCardNumber } from "@sealway/kernel"
import type { OpenedValue } from "@sealway/tokens"

/** What may be told of an encrypted value without revealing it. */
export interface Fingerprint {
  readonly type: "integer" | "float" | "boolean" | "string"
  readonly category?: "card-number"
  /** Epoch milliseconds; only of values with a data role. */
  readonly encryptedAt?: number
  readonly role?: string
  /** 43 characters of base64url: the same for the same value of one app, whatever its role, time or token version. */
  readonly fingerprint: string
  readonly metadata?: CardNumber
}

/** @param key the app's fingerprint key */
export function fingerprintValue(opened: OpenedValue, key: Buffer): Fingerprint {
  const { type, value, role, encryptedAt } = opened
  const card = type === "boolean" ? null : parseCardNumber(value.toString())
  return {
    type: type === "number" ? numberType(value.toString()) : type,
    ...(card !== null && { category: "card-number" }),
    ...(role !== null && { role }),
    ...(role !== null && encryptedAt !== null && { encryptedAt: encryptedAt * 1000 }),
    fingerprint: createHmac("sha256", key).update(`${type}\0`).update(value).digest("base64url"),
    ...(card !== null && { metadata: card }),
  }
}

function numberType(literal: string): "integer" | "float" {
  return /^-?[0-9]+$/.test(literal) ? "integer" : "float"
}
