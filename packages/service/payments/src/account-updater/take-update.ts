import type { App } from "@sealway/accounts"
import type { CardExpiry } from "../cards/card.ts"
import { knownFactsOf } from "../cards/card-facts.ts"
import { changeByNews } from "../enrolments/apply-news.ts"
import type { EnrolmentDependencies } from "../enrolments/enrolled-kind.ts"
import { findEnrolment } from "../enrolments/enrolled-record.ts"
import type { AccountUpdate } from "../networks/messages/account-updater.ts"
import { openOwnNumber, sealSuccessor } from "../own-number.ts"
import { afterUpdate, isNews, PUSHED_UPDATES, type Subscription, type TakenUpdate } from "./subscription.ts"
import { SUBSCRIPTIONS } from "./subscription-kind.ts"
import { claimSubscription, releaseSubscription, subscriptionKeyOf } from "./subscription-numbers.ts"

/** An update, with the token that its number was sent as, if any. */
export type ToldUpdate = AccountUpdate & { readonly token?: string | null }

/** An update that a network pushes. */
export interface UpdateNews {
  /** Id of the subscription. */
  readonly id: string
  readonly round: number
  readonly sequence: number
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly update: AccountUpdate
}

/**
 * Stores an update that a network pushes, and has a worker publish its event. An update that is obsolete, a duplicate, or
 * of a subscription that was deleted or has ended changes nothing.
 *
 * @throws ConflictError when the record keeps changing; it is safe to repeat the call
 */
export async function applyUpdate(
  app: App,
  { id, round, sequence, occurredAt, update }: UpdateNews,
  dependencies: EnrolmentDependencies,
): Promise<void> {
  await changeByNews(SUBSCRIPTIONS, app, id, dependencies, async (subscription) => {
    if (findEnrolment(subscription, PUSHED_UPDATES)?.round !== round) return subscription
    return takeUpdate(subscription, update, { sequence, occurredAt }, app, dependencies)
  })
}

/** Returns the subscription after an update. Safe to repeat after a crash before the record was written. */
export async function takeUpdate(
  subscription: Subscription,
  update: ToldUpdate,
  { sequence, occurredAt }: Pick<TakenUpdate, "sequence" | "occurredAt">,
  app: App,
  dependencies: EnrolmentDependencies,
): Promise<Subscription> {
  const { updateType } = update
  if (!isNews(subscription, { updateType, sequence })) {
    await releaseLost(subscription, update, app, dependencies)
    return subscription
  }
  const nowMs = dependencies.wallClock()
  const replacement =
    "replacement" in update
      ? await replacementOf(subscription, update.replacement, update.token ?? null, app, dependencies)
      : null
  // A network whose clock is ahead must not date an update into the future.
  const taken = { updateType, sequence, occurredAt: Math.min(occurredAt, nowMs), replacement }
  const changed = afterUpdate(subscription, taken, nowMs)
  const kept = new Set(changed.details.numberKeys)
  const dropped = subscription.details.numberKeys.filter((key) => !kept.has(key))
  await releaseSubscription(dependencies.paymentsTable, subscription, dropped)
  return changed
}

/** Keeps the token of an unchanged number. From now on the subscription is found by a new number, unless another one has it. */
async function replacementOf(
  { id, details }: Subscription,
  { number: digits, expiry }: { readonly number: string; readonly expiry: CardExpiry },
  token: string | null,
  app: App,
  dependencies: EnrolmentDependencies,
): Promise<TakenUpdate["replacement"]> {
  const { number, lastFour, brand, merchantId } = details
  if (digits === (await openOwnNumber(dependencies.keyring, app, number))) {
    return { number, numberKey: null, lastFour, brand, expiry }
  }
  const numberKey = await subscriptionKeyOf(dependencies, app, merchantId, digits)
  const holder = await claimSubscription(dependencies, app, numberKey, id)
  const facts = await knownFactsOf(dependencies, app, digits)
  return {
    number: token ?? (await sealSuccessor(dependencies, app, digits, number)),
    numberKey: holder === id ? numberKey : null,
    lastFour: digits.slice(-4),
    brand: facts.brand ?? null,
    expiry,
  }
}

/** An attempt that lost against another change, such as the deletion, has assigned its number to the subscription. */
async function releaseLost(
  subscription: Subscription,
  update: ToldUpdate,
  app: App,
  dependencies: EnrolmentDependencies,
): Promise<void> {
  if (!("replacement" in update)) return
  const { merchantId, numberKeys } = subscription.details
  const numberKey = await subscriptionKeyOf(dependencies, app, merchantId, update.replacement.number)
  if (numberKeys.includes(numberKey)) return
  await releaseSubscription(dependencies.paymentsTable, subscription, [numberKey])
}
