import * as z from "zod"
import { networkCurrencySchema, networkExpirySchema, panSchema } from "./card-values.ts"
import { checkAfterSchema, referenceSchema, requestedAtSchema } from "./request-values.ts"

export const RETRY_SIGNALS = ["retry-now", "stop"] as const
export const RETRY_CONFIDENCES = ["low", "medium", "high"] as const

export const retrySignalSchema = z
  .enum(RETRY_SIGNALS)
  .describe(
    "`retry-now`: a similar or larger payment with the card succeeded elsewhere. `stop`: do not retry",
  )
export const retryConfidenceSchema = z.enum(RETRY_CONFIDENCES)

export const watchRetryRequestSchema = z.lazy(() =>
  z.strictObject({
    reference: referenceSchema.describe(
      "Identifies the watch. A repeated request returns its state. A watch ends with its first signal",
    ),
    requestedAt: requestedAtSchema,
    merchant: z.strictObject({ id: z.string().min(1).max(64) }),
    card: z.strictObject({ number: panSchema, expiry: networkExpirySchema }),
    declinedAmount: z.int().min(0).describe("In the currency's minor unit, such as cents"),
    currency: networkCurrencySchema,
    declinedAt: z.int().min(0).describe("Epoch milliseconds"),
    expiresAt: z.int().min(0).describe("End of the watch, in epoch milliseconds"),
  }),
)

export const unwatchRetryRequestSchema = z.lazy(() => z.strictObject({ reference: referenceSchema }))

/** The state of a watch. */
export const watchStandingSchema = z.lazy(() =>
  z.discriminatedUnion("status", [
    z.strictObject({ status: z.literal("watching"), checkAfterMs: checkAfterSchema }),
    z.strictObject({
      status: z.literal("signalled"),
      signal: retrySignalSchema,
      confidence: retryConfidenceSchema,
    }),
  ]),
)

/** Confirms the end of a watch, also of one that does not exist. */
export const unwatchAnswerSchema = z.lazy(() => z.strictObject({ status: z.literal("unwatched") }))

export type RetrySignal = z.infer<typeof retrySignalSchema>
export type RetryConfidence = z.infer<typeof retryConfidenceSchema>
export type WatchRetryRequest = z.infer<typeof watchRetryRequestSchema>
export type UnwatchRetryRequest = z.infer<typeof unwatchRetryRequestSchema>
export type WatchStanding = z.infer<typeof watchStandingSchema>
export type UnwatchAnswer = z.infer<typeof unwatchAnswerSchema>
