import { createHmac } from "node:crypto"
import { type App, appPartition, type Keyring, type RecordKey, type Table } from "@sealway/platform"
import { fingerprintKey } from "@sealway/vault"
import { type Claim, claimPlace, releasePlace } from "../claims.ts"

/**
 * Returns the key that a number is found by. It reveals nothing without the app's key.
 *
 * @param scope which records of the app the number is looked up in. Default: its cards
 */
export async function numberKeyOf(
  { keyring }: { readonly keyring: Pick<Keyring, "open"> },
  app: App,
  digits: string,
  scope = "payments-card",
): Promise<string> {
  const key = await fingerprintKey(keyring, app)
  return createHmac("sha256", key).update(`${scope}\0${digits}`).digest("base64url")
}

const keyOf = (app: Pick<App, "id">, numberKey: string): RecordKey => ({
  pk: appPartition(app.id),
  sk: `card-number#${numberKey}`,
})

export interface NumberClaim extends Claim {
  readonly numberKey: string
}

/**
 * Claims a number for a new card, unless it belongs to another one. A card is only created with an id that this
 * returned, so there is only one, however many calls ask.
 *
 * @returns the id of the card that the number now belongs to. Its record may not exist yet
 * @throws Error when others keep changing it
 */
export function claimNumber(
  paymentsTable: Table,
  app: App,
  { numberKey, ...claim }: NumberClaim,
): Promise<string> {
  return claimPlace(paymentsTable, keyOf(app, numberKey), claim)
}

/** Releases the number, unless it belongs to another card by now. */
export function releaseNumber(
  paymentsTable: Table,
  card: { readonly id: string; readonly appId: string; readonly numberKey: string },
): Promise<void> {
  return releasePlace(paymentsTable, keyOf({ id: card.appId }, card.numberKey), card.id)
}
