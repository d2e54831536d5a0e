import { brandSchema } from "@sealway/bins"
import * as z from "zod"
import { type CardExpiry, storedExpirySchema } from "../cards/card.ts"
import {
  type EnrolledRecord,
  findEnrolment,
  newRecord,
  requestEnrolment,
  withdrawEnrolment,
} from "../enrolments/enrolled-record.ts"
import type { UpdateType } from "../networks/messages/account-updater.ts"

export const SUBSCRIPTION_STATUSES = ["pending", "active", "failed", "ended"] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

export const UPDATE_TYPES = [
  ...(["new-account-number", "new-expiry-date", "account-closure", "contact-cardholder"] as const),
] as const satisfies readonly UpdateType[]

/** The stored, sealed part of a subscription. */
export const subscriptionDetailsSchema = z.object({
  merchantId: z.string(),
  /** The current number as a token: the one that the caller sent, or one of ours. */
  number: z.string(),
  /** Keys of the current number and of earlier ones, newest last. The subscription is found by each. */
  numberKeys: z.array(z.string()),
  lastFour: z.string(),
  /** Null when it is unknown. */
  brand: brandSchema.nullable(),
  expiry: storedExpirySchema.nullable(),
  /** Whether the account is closed. */
  isEnded: z.boolean(),
  /** The highest sequence of the updates so far; 0 when there is none. */
  sequence: z.number(),
  /** The sequence of the update that the number and the expiry come from; 0 when the app sent them. */
  replacedBy: z.number(),
  /** The last update that was published as an event; null when there is none. */
  lastUpdate: z
    .object({ count: z.number(), updateType: z.enum(UPDATE_TYPES), occurredAt: z.number() })
    .nullable(),
})

export type SubscriptionDetails = z.infer<typeof subscriptionDetailsSchema>
export type Subscription = EnrolledRecord<SubscriptionDetails>

/** The name of a subscription's only enrolment. */
export const PUSHED_UPDATES = "pushed-updates"

/** A network that keeps changing the number must not make the record grow. */
export const MAX_NUMBER_KEYS = 20

export interface NewSubscription {
  readonly merchantId: string
  readonly number: string
  readonly numberKey: string
  readonly lastFour: string
  readonly brand: SubscriptionDetails["brand"]
  readonly expiry: CardExpiry | null
}

/** Returns a new subscription whose enrolment is requested. @param nowMs epoch milliseconds */
export function newSubscription(
  id: string,
  appId: string,
  { numberKey, ...given }: NewSubscription,
  nowMs: number,
): Subscription {
  const details = {
    ...given,
    numberKeys: [numberKey],
    isEnded: false,
    sequence: 0,
    replacedBy: 0,
    lastUpdate: null,
  }
  return requestEnrolment(newRecord(id, appId, details, nowMs), PUSHED_UPDATES, nowMs)
}

/** Returns the subscription after its number was posted again: a failed one is requested again, others stay the same object. */
export function postedAgain(
  subscription: Subscription,
  expiry: CardExpiry | null,
  nowMs: number,
): Subscription {
  const { details } = subscription
  if (statusOf(subscription) !== "failed") return subscription
  // The sequence starts at 1 again.
  const renewed = { ...details, expiry: expiry ?? details.expiry, sequence: 0, replacedBy: 0 }
  return requestEnrolment({ ...subscription, details: renewed }, PUSHED_UPDATES, nowMs)
}

export function statusOf(subscription: Subscription): SubscriptionStatus {
  if (subscription.details.isEnded) return "ended"
  const status = findEnrolment(subscription, PUSHED_UPDATES)?.status
  return status === "active" || status === "failed" ? status : "pending"
}

/** An update of the card from a network or a simulation. */
export interface TakenUpdate {
  readonly updateType: UpdateType
  /** Counts the updates of the subscription, from 1. */
  readonly sequence: number
  /** Epoch milliseconds. */
  readonly occurredAt: number
  /** The whole card after the update; null where the update does not say it. */
  readonly replacement: {
    /** As a token. */
    readonly number: string
    /** Null: the number is unchanged, or another subscription is found by it. */
    readonly numberKey: string | null
    readonly lastFour: string
    readonly brand: SubscriptionDetails["brand"]
    readonly expiry: CardExpiry
  } | null
}

/**
 * Returns whether an update still counts. Of the updates that replace the card, the highest sequence wins, in whatever
 * order they arrive. The advice to contact the cardholder is obsolete after any newer update. A closure always counts.
 */
export function isNews(
  { details, deletedAt }: Subscription,
  { updateType, sequence }: Pick<TakenUpdate, "updateType" | "sequence">,
): boolean {
  if (details.isEnded || deletedAt !== null) return false
  switch (updateType) {
    case "account-closure":
      return true
    case "contact-cardholder":
      return sequence > details.sequence
    default:
      return sequence > details.replacedBy
  }
}

/** Returns the subscription after an update; the same object when the update is obsolete. @param nowMs epoch milliseconds */
export function afterUpdate(subscription: Subscription, update: TakenUpdate, nowMs: number): Subscription {
  if (!isNews(subscription, update)) return subscription
  const { details } = subscription
  const { updateType, occurredAt, replacement } = update
  const sequence = Math.max(details.sequence, update.sequence)
  // An update that repeats the current card is recorded, but no event is published.
  const isKnown = replacement !== null && isSameCard(details, replacement)
  const count = details.lastUpdate?.count ?? 0
  const taken = {
    ...details,
    ...(replacement !== null && replaced(details, replacement)),
    ...(replacement !== null && { replacedBy: update.sequence }),
    sequence,
    lastUpdate: isKnown ? details.lastUpdate : { count: count + 1, updateType, occurredAt },
  }
  if (updateType !== "account-closure") return { ...subscription, details: taken }
  return withdrawEnrolment({ ...subscription, details: { ...taken, isEnded: true } }, PUSHED_UPDATES, nowMs)
}

type Replacement = NonNullable<TakenUpdate["replacement"]>

function isSameCard({ number, expiry }: SubscriptionDetails, next: Replacement): boolean {
  const isSameExpiry = expiry?.month === next.expiry.month && expiry.year === next.expiry.year
  return number === next.number && isSameExpiry
}

function replaced({ numberKeys }: SubscriptionDetails, { numberKey, ...card }: Replacement) {
  const keys = numberKey === null ? numberKeys : [...numberKeys.filter((key) => key !== numberKey), numberKey]
  return { ...card, numberKeys: keys.slice(-MAX_NUMBER_KEYS) }
}
