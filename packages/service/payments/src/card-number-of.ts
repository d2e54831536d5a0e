import type { Caller } from "@sealway/accounts"
import type { AppPrincipal } from "@sealway/http"
import { invalidField, passesLuhn } from "@sealway/kernel"
import { authorOf } from "@sealway/records"
import {
  createTokenOpener,
  fingerprintKey,
  fingerprintText,
  type OpenedField,
  openFields,
  recordDecryption,
} from "@sealway/vault"
import type { PaymentDependencies } from "./dependencies.ts"

/** The sender of a request with card data. */
export interface CardDataSender {
  readonly principal: Pick<AppPrincipal, "app" | "apiKeyId">
  readonly caller: Caller
}

/** The dependencies for opening card data. */
export type CardDataDependencies = Pick<
  PaymentDependencies,
  "keyring" | "dataRoles" | "audit" | "accessLog" | "wallClock"
>

/** A card or network-token number of a request. Only stored, logged or returned as a token. */
export interface GivenCardNumber extends OpenedField {
  /** JSON Pointer of the field. */
  readonly pointer: string
  /** 12 to 19 digits that pass the Luhn check. */
  readonly digits: string
}

/**
 * Opens the fields of a request that may be tokens, as `/decrypt` would: the policies of their roles decide, and the
 * decryption is recorded in the access log.
 *
 * @param given texts by JSON Pointer
 * @throws InvalidRequestError naming a field whose token does not open
 * @throws DecryptionForbiddenError naming a field whose role's policies do not permit decryption
 */
export async function openCardData(
  { keyring, dataRoles, audit, accessLog, wallClock }: CardDataDependencies,
  { principal: { app, apiKeyId }, caller }: CardDataSender,
  given: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, OpenedField>> {
  const context = { source: "api", ip: caller.ip, apiKeyId } as const
  const { fields, values } = await openFields(given, createTokenOpener(keyring, app), (roles) =>
    dataRoles.decide(app, roles, context),
  )
  const author = authorOf(caller)
  await recordDecryption({ accessLog, audit, wallClock }, { app, author, source: "api", apiKeyId }, values)
  return fields
}

/**
 * Reads a card number that was sent in plain text or as a token.
 *
 * @param pointer JSON Pointer of the field
 * @throws InvalidRequestError when it is not a card number, or a token that does not open
 * @throws DecryptionForbiddenError when its role's policies do not permit decryption
 */
export async function cardNumberOf(
  dependencies: CardDataDependencies,
  sender: CardDataSender,
  pointer: string,
  text: string,
): Promise<GivenCardNumber> {
  const opened = await openCardData(dependencies, sender, new Map([[pointer, text]]))
  return requireCardNumber(pointer, opened.get(pointer))
}

/** Two digits each; in a request, perhaps tokens of them. */
interface Expiry {
  readonly month: string
  readonly year: string
}

/** Returns the fields of an expiry that may be tokens, by JSON Pointer. */
export const expiryFields = (pointer: string, { month, year }: Expiry): [string, string][] => [
  [`${pointer}/month`, month],
  [`${pointer}/year`, year],
]

/** @throws InvalidRequestError when an expiry's token does not contain two digits of a month, or of a year */
export function requireExpiry(pointer: string, opened: ReadonlyMap<string, OpenedField>): Expiry {
  const month = opened.get(`${pointer}/month`)?.text ?? ""
  const year = opened.get(`${pointer}/year`)?.text ?? ""
  if (!/^(?:0[1-9]|1[0-2])$/.test(month))
    throw invalidField(`${pointer}/month`, "The month must have two digits.")
  if (!/^[0-9]{2}$/.test(year)) throw invalidField(`${pointer}/year`, "The year must have two digits.")
  return { month, year }
}

/** @throws InvalidRequestError when a field is not 12 to 19 digits that pass the Luhn check */
export function requireCardNumber(pointer: string, field: OpenedField | undefined): GivenCardNumber {
  if (field !== undefined && isCardNumber(field.text)) return { ...field, pointer, digits: field.text }
  throw invalidField(pointer, "The number must have 12 to 19 digits and pass the Luhn check.")
}

export function isCardNumber(text: string): boolean {
  return /^[0-9]{12,19}$/.test(text) && passesLuhn(text)
}

/** Returns the fingerprint that `/fingerprint` returns for the number, for the token that was sent. */
export async function fingerprintCard(
  { keyring }: Pick<PaymentDependencies, "keyring">,
  app: AppPrincipal["app"],
  { digits, type }: Pick<GivenCardNumber, "digits" | "type">,
): Promise<string> {
  return fingerprintText(digits, await fingerprintKey(keyring, app), type)
}

/**
 * Returns the token with which a number is stored and returned: the one that was sent, role included, or a new one,
 * sealed with the app's newest keys.
 */
export async function cardNumberToken(
  { keyring }: Pick<PaymentDependencies, "keyring">,
  app: AppPrincipal["app"],
  { digits, token }: Pick<GivenCardNumber, "digits" | "token">,
): Promise<string> {
  if (token !== null) return token
  const { sealingKeys } = await keyring.newest(app, "public")
  return sealingKeys.current().seal("string", Buffer.from(digits))
}
