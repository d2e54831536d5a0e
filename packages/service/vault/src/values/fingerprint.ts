import { createHmac } from "node:crypto"
import type { App } from "@sealway/accounts"
import { type CardNumber, parseCardNumber } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import type { OpenedValue, ValueType } from "@sealway/tokens"
import type { CardDigits, CardRange } from "./card-ranges.ts"

/** What may be revealed about an encrypted value. */
export interface Fingerprint {
  readonly type: "integer" | "float" | "boolean" | "string"
  readonly category?: "card-number"
  /** Epoch milliseconds; only for values with a data role. */
  readonly encryptedAt?: number
  readonly role?: string
  /** 43 characters of base64url: the same for the same value of one app, whatever its role, time or token version. */
  readonly fingerprint: string
  readonly metadata?: CardNumber & CardRange
}

/** Fingerprints use the app's first key version, so that a rotation does not change them. */
const KEY_VERSION = 1

/** Derives the key for fingerprints of an app's values. */
export async function fingerprintKey(keyring: Pick<Keyring, "open">, app: App): Promise<Buffer> {
  return (await keyring.open(app, KEY_VERSION, "secret")).deriveKey("fingerprint")
}

/**
 * Fingerprints a text, giving the same as `fingerprintValue` for a token of that text.
 *
 * @param key see `fingerprintKey`
 * @param type the type of the value whose literal the text is
 */
export function fingerprintText(text: string, key: Buffer, type: ValueType = "string"): string {
  return fingerprintBytes(type, Buffer.from(text), key)
}

/**
 * Fingerprints an opened value.
 *
 * @param key see `fingerprintKey`
 * @param range data about the range of a card number. Default: none
 */
export function fingerprintValue(opened: OpenedValue, key: Buffer, range: CardRange = {}): Fingerprint {
  const { type, value, role, encryptedAt } = opened
  const card = type === "boolean" ? null : parseCardNumber(value.toString())
  return {
    type: type === "number" ? numberType(value.toString()) : type,
    ...(card !== null && { category: "card-number" }),
    ...(role !== null && { role }),
    ...(role !== null && encryptedAt !== null && { encryptedAt: encryptedAt * 1000 }),
    fingerprint: fingerprintBytes(type, value, key),
    ...(card !== null && { metadata: { ...card, ...range } }),
  }
}

/**
 * How many leading digits of a number may be shown with its last four (PCI DSS 3.4.1): eight for numbers of 16 or more.
 */
const LEADING_DIGITS = { short: 6, long: 8 }
const LONG_NUMBER = 16

/**
 * Returns the digits of a card number. The leading ones select its range, and are no more than may be shown: the right to
 * fingerprint does not include the right to decrypt, and someone who imports ranges could find out one digit after
 * another with more. Returns null when the value is not a card number.
 */
export function cardDigitsOf({ type, value }: OpenedValue): CardDigits | null {
  const text = type === "boolean" ? "" : value.toString()
  if (parseCardNumber(text) === null) return null
  const digits = text.replace(/[ -]/g, "")
  const leading = digits.slice(0, digits.length < LONG_NUMBER ? LEADING_DIGITS.short : LEADING_DIGITS.long)
  return { leading, digits }
}

function fingerprintBytes(type: ValueType, value: Uint8Array, key: Buffer): string {
  return createHmac("sha256", key).update(`${type}\0`).update(value).digest("base64url")
}

function numberType(literal: string): "integer" | "float" {
  return /^-?[0-9]+$/.test(literal) ? "integer" : "float"
}
