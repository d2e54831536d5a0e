import type { App } from "@sealway/accounts"
import { NotFoundError } from "@sealway/kernel"
import { audited, authorOf } from "@sealway/records"
import {
  type CardDataSender,
  cardNumberOf,
  cardNumberToken,
  type GivenCardNumber,
} from "../card-number-of.ts"
import type { CardExpiry } from "../cards/card.ts"
import { factsOfNumber } from "../cards/card-facts.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { changeEnrolled } from "../enrolments/change-enrolled.ts"
import {
  askedAtOnce,
  changedMeanwhile,
  entryOf,
  makeEnrolled,
  storedRecord,
  wakeWorker,
} from "../enrolments/keep-enrolled.ts"
import { untilWritten } from "../enrolments/until-written.ts"
import { holdMerchantWhileThere, requireMerchant } from "../merchants/manage-merchants.ts"
import { newSubscription, postedAgain, type Subscription } from "./subscription.ts"
import { SUBSCRIPTIONS } from "./subscription-kind.ts"
import { claimSubscription, releaseSubscription, subscriptionKeyOf } from "./subscription-numbers.ts"

export interface SubscriptionInput {
  /** Plain or as a token. */
  readonly number: string
  readonly expiry?: CardExpiry
  /** Id. */
  readonly merchant: string
}

/** A subscription to create. */
interface NewSubscription {
  readonly id: string
  readonly merchantId: string
  readonly number: GivenCardNumber
  readonly numberKey: string
  readonly expiry: CardExpiry | null
  /** Epoch milliseconds. */
  readonly nowMs: number
}

/**
 * Subscribes a merchant to the account updates of a card, or finds the merchant's subscription to it. A failed one is
 * requested again.
 *
 * @throws InvalidRequestError, DecryptionForbiddenError naming the number when it cannot be read
 * @throws NotFoundError for a merchant that the app does not have
 * @throws ApiError `service-unavailable` when the app has no network
 * @throws ConflictError when others keep changing it
 */
export async function subscribe(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  { number: text, expiry: given, merchant: merchantId }: SubscriptionInput,
): Promise<{ readonly subscription: Subscription; readonly isNew: boolean }> {
  const { app } = sender.principal
  const { draws, wallClock } = dependencies
  const number = await cardNumberOf(dependencies, sender, "/number", text)
  await requireMerchant(dependencies, app, merchantId)
  await dependencies.requireCardNetwork(app)
  const expiry = given === undefined ? null : { ...given }
  const numberKey = await subscriptionKeyOf(dependencies, app, merchantId, number.digits)
  const nowMs = wallClock()
  const newId = draws.newId("card_subscription", nowMs)
  return untilWritten(async () => {
    const id = await claimSubscription(dependencies, app, numberKey, newId)
    const known = await SUBSCRIPTIONS.table.find(dependencies, app, id)
    if (known !== null) {
      return { subscription: await postAgain(dependencies, sender, known, expiry), isNew: false }
    }
    const wanted = { id, merchantId, number, numberKey, expiry, nowMs }
    return { subscription: await create(dependencies, sender, wanted), isNew: true }
  })
}

/** @throws ChangedMeanwhileError when another call deletes the subscription first */
async function postAgain(
  dependencies: PaymentDependencies,
  { principal: { app }, caller }: CardDataSender,
  { id }: Subscription,
  expiry: CardExpiry | null,
): Promise<Subscription> {
  const change = (known: Subscription) => postedAgain(known, expiry, dependencies.wallClock())
  const fields = ["status", ...(expiry === null ? [] : ["expiry"])]
  try {
    return await changeEnrolled(SUBSCRIPTIONS, dependencies, app, { id, change, fields }, authorOf(caller))
  } catch (error) {
    throw error instanceof NotFoundError ? changedMeanwhile(SUBSCRIPTIONS) : error
  }
}

/** @throws ChangedMeanwhileError when another call creates it first */
async function create(
  dependencies: PaymentDependencies,
  { principal: { app }, caller }: CardDataSender,
  wanted: NewSubscription,
): Promise<Subscription> {
  const { id, merchantId, number, numberKey, expiry, nowMs } = wanted
  const { facts } = await factsOfNumber(dependencies, app, number.digits)
  const made = newSubscription(
    id,
    app.id,
    {
      number: await cardNumberToken(dependencies, app, number),
      lastFour: number.digits.slice(-4),
      brand: facts.brand ?? null,
      merchantId,
      numberKey,
      expiry,
    },
    nowMs,
  )
  await holdMerchant(dependencies, app, wanted)
  const subscription = await askedAtOnce(SUBSCRIPTIONS, dependencies, app, made)
  return audited(
    dependencies.audit,
    entryOf(SUBSCRIPTIONS, app, id, "create", authorOf(caller)),
    async () => {
      if (!(await makeEnrolled(SUBSCRIPTIONS, dependencies, app, subscription))) {
        throw changedMeanwhile(SUBSCRIPTIONS)
      }
      const stored = await storedRecord(SUBSCRIPTIONS, dependencies, app, subscription)
      await wakeWorker(SUBSCRIPTIONS, dependencies, app, subscription)
      return stored
    },
  )
}

/** @throws NotFoundError when the merchant was deleted meanwhile */
async function holdMerchant(
  dependencies: PaymentDependencies,
  app: App,
  { id, merchantId, numberKey, nowMs }: NewSubscription,
): Promise<void> {
  const use = { type: "card-subscription", id, since: nowMs } as const
  try {
    await holdMerchantWhileThere(dependencies, app, merchantId, use)
  } catch (error) {
    if (error instanceof NotFoundError) {
      await releaseSubscription(dependencies.paymentsTable, { id, appId: app.id }, [numberKey])
    }
    throw error
  }
}
