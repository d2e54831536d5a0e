import type { App } from "@sealway/accounts"
import { timeOfId } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import { appPartition, type RecordKey, type Table } from "@sealway/ports"
import { claimPlace, releasePlace } from "../claims.ts"
import { ABANDONED_MS } from "../enrolments/pending-enrolments.ts"
import { numberKeyOf } from "../number-key.ts"
import type { Subscription } from "./subscription.ts"
import { SUBSCRIPTION_TABLE } from "./subscription-table.ts"

const keyOf = (appId: string, numberKey: string): RecordKey => ({
  pk: appPartition(appId),
  sk: `card-subscription-number#${numberKey}`,
})

interface NumberDependencies {
  readonly paymentsTable: Table
  readonly keyring: Keyring
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** Returns the key that a subscription is found by: it depends on the merchant and the number. */
export function subscriptionKeyOf(
  dependencies: Pick<NumberDependencies, "keyring">,
  app: App,
  merchantId: string,
  digits: string,
): Promise<string> {
  return numberKeyOf(dependencies, app, digits, `payments-subscription\0${merchantId}`)
}

/**
 * Assigns a number to a new subscription, unless another one that is neither deleted nor ended has it.
 *
 * @returns the id of the subscription that has the number now. Its record may not exist yet
 */
export function claimSubscription(
  dependencies: NumberDependencies,
  app: App,
  numberKey: string,
  newId: string,
): Promise<string> {
  const isFree = async (holder: string) => {
    const found = await SUBSCRIPTION_TABLE.find(dependencies, app, holder)
    if (found !== null) return found.deletedAt !== null || found.details.isEnded
    // A request in progress, or its repetition, may still create it.
    const madeAt = timeOfId("card_subscription", holder) ?? 0
    return dependencies.wallClock() - madeAt > ABANDONED_MS
  }
  return claimPlace(dependencies.paymentsTable, keyOf(app.id, numberKey), { newId, isFree })
}

/** Releases those of the numbers that the subscription still has. */
export async function releaseSubscription(
  paymentsTable: Table,
  { id, appId }: Pick<Subscription, "id" | "appId">,
  numberKeys: readonly string[],
): Promise<void> {
  for (const numberKey of numberKeys) {
    await releasePlace(paymentsTable, keyOf(appId, numberKey), id)
  }
}
