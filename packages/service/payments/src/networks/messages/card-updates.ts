import * as z from "zod"
import { networkExpirySchema, panSchema } from "./card-values.ts"
import { checkAfterSchema, referenceSchema, requestedAtSchema } from "./request-values.ts"

export const registerCardRequestSchema = z.lazy(() =>
  z.strictObject({
    reference: referenceSchema.describe(
      "Identifies one registration of a card. A repeated request returns the card's state",
    ),
    requestedAt: requestedAtSchema,
    number: panSchema,
    expiry: networkExpirySchema,
  }),
)

export const deregisterCardRequestSchema = z.strictObject({ reference: referenceSchema })

/** The replacement of a card. */
const replacementSchema = z.lazy(() =>
  z.strictObject({
    number: panSchema.optional().describe("Absent when only the expiry is new"),
    expiry: networkExpirySchema,
  }),
)

/** The state of a registered card. */
export const cardStandingSchema = z.lazy(() =>
  z.discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("active"),
      automaticUpdates: z.enum(["enabled", "issuer-not-enrolled"]),
      checkAfterMs: checkAfterSchema.describe(
        "Time until Sealway should ask again, in milliseconds. Default: one day",
      ),
    }),
    z.strictObject({ status: z.literal("pending"), checkAfterMs: checkAfterSchema }),
    z.strictObject({ status: z.literal("replaced"), replacement: replacementSchema }),
    z.strictObject({ status: z.literal("closed") }).describe("The account is closed"),
    z.strictObject({ status: z.literal("invalid") }).describe("The network refused the number or the expiry"),
  ]),
)

/** Answers a deregistration. A card that is not registered counts as deregistered. */
export const deregistrationAnswerSchema = z.strictObject({ status: z.literal("deregistered") })

export type RegisterCardRequest = z.infer<typeof registerCardRequestSchema>
export type DeregisterCardRequest = z.infer<typeof deregisterCardRequestSchema>
export type CardStanding = z.infer<typeof cardStandingSchema>
export type DeregistrationAnswer = z.infer<typeof deregistrationAnswerSchema>
