import { brandSchema, createdAtSchema, expirySchema, showTimes, updatedAtSchema } from "@sealway/bins"
import * as z from "zod"
import {
  SUBSCRIPTION_STATUSES,
  type Subscription,
  type SubscriptionDetails,
  statusOf,
} from "./subscription.ts"

export const subscriptionStatusSchema = z.enum(SUBSCRIPTION_STATUSES)

/** A subscription in API responses. */
export const subscriptionSchema = z
  .object({
    id: z.string(),
    merchant: z.string().describe("Id of the merchant"),
    card: z
      .object({ lastFour: z.string(), brand: brandSchema.optional(), expiry: expirySchema.optional() })
      .describe("The current card. Unknown fields are absent"),
    status: subscriptionStatusSchema.describe(
      "`failed`: the network does not report changes of this card. `ended`: the account is closed",
    ),
    createdAt: createdAtSchema,
    updatedAt: updatedAtSchema,
  })
  .meta({ id: "CardSubscription" })

export function showSubscription(subscription: Subscription): z.infer<typeof subscriptionSchema> {
  const { id, details } = subscription
  const { merchantId, lastFour, brand, expiry } = details
  return {
    id,
    merchant: merchantId,
    card: { lastFour, ...(brand !== null && { brand }), ...(expiry !== null && { expiry }) },
    status: statusOf(subscription),
    ...showTimes(subscription),
  }
}

/** Returns the data of the event for an update. */
export function showUpdate(
  { id, details: { number, expiry } }: Subscription,
  { updateType, occurredAt }: NonNullable<SubscriptionDetails["lastUpdate"]>,
): object {
  const isReplaced = updateType === "new-account-number" || updateType === "new-expiry-date"
  return { subscription: id, updateType, ...(isReplaced && { replacement: { number, expiry } }), occurredAt }
}
