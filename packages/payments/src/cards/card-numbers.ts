import { createHmac } from "node:crypto"
import { type App, appPartition, type Keyring, type RecordKey, type Table } from "@sealway/platform"
import { fingerprintKey } from "@sealway/vault"
import * as z from "zod"

const itemSchema = z.object({ id: z.string(), revision: z.number() })
const MAX_TRIES = 10

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

export interface NumberClaim {
  readonly numberKey: string
  /** The card that the number is to be of, unless it is of one already. */
  readonly newId: string
  /** Whether the card that the number is of gives it away: because it is deleted, or is being replaced. */
  readonly isFree: (id: string) => Promise<boolean>
}

/**
 * Makes a number that of a new card, unless it is that of another one. Whoever is first decides, for everybody: a card is
 * only made under an id that this has told, so that however many ask, there is one.
 *
 * @returns the id of the card that the number is of now. There may be no record of it yet
 * @throws Error when others change it all the time
 */
export async function claimNumber(
  paymentsTable: Table,
  app: App,
  { numberKey, newId, isFree }: NumberClaim,
): Promise<string> {
  const key = keyOf(app, numberKey)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const item = await paymentsTable.get(key)
    if (item === null) {
      if (await paymentsTable.create(key, { id: newId, revision: 1 })) return newId
      continue
    }
    const { id, revision } = itemSchema.parse(item)
    if (!(await isFree(id))) return id
    if (await paymentsTable.replace(key, { id: newId, revision }, revision)) return newId
  }
  throw new Error("The card of a number is changed all the time")
}

/** Leaves the number alone when it is of another card by now. */
export async function releaseNumber(
  paymentsTable: Table,
  card: { readonly id: string; readonly appId: string; readonly numberKey: string },
): Promise<void> {
  const key = keyOf({ id: card.appId }, card.numberKey)
  const item = await paymentsTable.get(key)
  if (item === null) return
  const { id, revision } = itemSchema.parse(item)
  if (id === card.id) await paymentsTable.remove(key, revision)
}
