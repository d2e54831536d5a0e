import type { App } from "@sealway/accounts"
import { appPartition, type RecordKey, type Table } from "@sealway/ports"
import { type Claim, claimPlace, releasePlace } from "../claims.ts"

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
