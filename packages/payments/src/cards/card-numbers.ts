import { createHmac } from "node:crypto"
import { type App, appPartition, type Keyring, type RecordKey, type Table } from "@sealway/platform"
import { fingerprintKey } from "@sealway/vault"
import { type Claim, claimPlace, releasePlace } from "../claims.ts"

/** What a number is found by: it tells nothing to who lacks the app's key. */
export async function numberKeyOf(
  { keyring }: { readonly keyring: Pick<Keyring, "open"> },
  app: App,
  digits: string,
): Promise<string> {
  const key = await fingerprintKey(keyring, app)
  return createHmac("sha256", key).update(`payments-card\0${digits}`).digest("base64url")
}

const keyOf = (app: Pick<App, "id">, numberKey: string): RecordKey => ({
  pk: appPartition(app.id),
  sk: `card-number#${numberKey}`,
})

export interface NumberClaim extends Claim {
  readonly numberKey: string
}

/**
 * Makes a number that of a new card, unless it is that of another one. A card is only made under an id that this has told,
 * so that however many ask, there is one.
 *
 * @returns the id of the card that the number is of now. There may be no record of it yet
 * @throws Error when others change it all the time
 */
export function claimNumber(
  paymentsTable: Table,
  app: App,
  { numberKey, ...claim }: NumberClaim,
): Promise<string> {
  return claimPlace(paymentsTable, keyOf(app, numberKey), claim)
}

/** Leaves the number alone when it is of another card by now. */
export function releaseNumber(
  paymentsTable: Table,
  card: { readonly id: string; readonly appId: string; readonly numberKey: string },
): Promise<void> {
  return releasePlace(paymentsTable, keyOf({ id: card.appId }, card.numberKey), card.id)
}
