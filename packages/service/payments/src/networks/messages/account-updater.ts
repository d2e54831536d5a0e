import * as z from "zod"
import { networkExpirySchema, panSchema } from "./card-values.ts"
import { checkAfterSchema, referenceSchema, requestedAtSchema } from "./request-values.ts"

const subscriptionReferenceSchema = referenceSchema.describe(
  "Identifies the subscription. A repeated request returns its current state",
)

export const subscribeUpdatesRequestSchema = z.lazy(() =>
  z.strictObject({
    reference: subscriptionReferenceSchema,
    requestedAt: requestedAtSchema,
    merchant: z.strictObject({ id: z.string().min(1).max(64) }),
    number: panSchema,
    expiry: networkExpirySchema.optional().describe("Absent when the merchant does not know it"),
  }),
)

export const unsubscribeUpdatesRequestSchema = z.lazy(() =>
  z.strictObject({ reference: subscriptionReferenceSchema }),
)

/** The state of a subscription. */
export const subscriptionAnswerSchema = z.lazy(() =>
  z.discriminatedUnion("status", [
    z.strictObject({ status: z.literal("active") }),
    z.strictObject({ status: z.literal("pending"), checkAfterMs: checkAfterSchema }),
    z
      .strictObject({ status: z.literal("failed") })
      .describe("The network does not report changes of this card"),
  ]),
)

/** Confirms the end of a subscription, also of one that does not exist. */
export const unsubscriptionAnswerSchema = z.strictObject({ status: z.literal("unsubscribed") })

/** The whole card after the update, so that the newest update replaces all earlier ones. */
const replacementSchema = z.lazy(() =>
  z
    .strictObject({ number: panSchema, expiry: networkExpirySchema })
    .describe("The whole card after the update, including what did not change"),
)

/** A change of a card that a network pushes. */
export const accountUpdateSchema = z.lazy(() =>
  z.discriminatedUnion("updateType", [
    z.strictObject({ updateType: z.literal("new-account-number"), replacement: replacementSchema }),
    z.strictObject({ updateType: z.literal("new-expiry-date"), replacement: replacementSchema }),
    z
      .strictObject({ updateType: z.literal("account-closure") })
      .describe("The account is closed. This ends the subscription, whatever the sequence"),
    z
      .strictObject({ updateType: z.literal("contact-cardholder") })
      .describe("Something has changed that only the cardholder can tell"),
  ]),
)

export const updateSequenceSchema = z.lazy(() =>
  z
    .int()
    .min(1)
    .describe(
      "Counts the updates of the subscription, from 1. An update never overwrites one with a higher sequence",
    ),
)

export type SubscribeUpdatesRequest = z.infer<typeof subscribeUpdatesRequestSchema>
export type UnsubscribeUpdatesRequest = z.infer<typeof unsubscribeUpdatesRequestSchema>
export type SubscriptionAnswer = z.infer<typeof subscriptionAnswerSchema>
export type UnsubscriptionAnswer = z.infer<typeof unsubscriptionAnswerSchema>
export type AccountUpdate = z.infer<typeof accountUpdateSchema>
export type UpdateType = AccountUpdate["updateType"]
