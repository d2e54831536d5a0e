import { CARD_BRANDS } from "@sealway/kernel"
import * as z from "zod"
import { networkCurrencySchema } from "./card-values.ts"
import { referenceSchema } from "./request-values.ts"

export const ALERT_NETWORKS = ["verifi", "ethoca"] as const
export const ALERT_TYPES = ["dispute", "fraud"] as const
export const ALERT_OUTCOMES = ["refunded", "partially-refunded", "not-found", "declined"] as const

const amountSchema = z.lazy(() => z.int().min(0).describe("In the currency's minor unit, such as cents"))
const alertReferenceSchema = z
  .string()
  .regex(/^[!-~]{1,100}$/, "1 to 100 printable ASCII characters, no blanks")
  .describe("The network's id of the alert. A repeated message with the same id is the same alert")
/** A text from a network, on one line. */
const lineSchema = z.lazy(() =>
  z.string().regex(/^[^\p{Cc}]{1,100}$/u, "1 to 100 characters, no control characters"),
)

/** An alert from a network. */
export const networkAlertSchema = z.lazy(() =>
  z.strictObject({
    network: z.enum(ALERT_NETWORKS),
    reference: alertReferenceSchema,
    type: z.enum(ALERT_TYPES),
    merchant: z.strictObject({ id: z.string().min(1).max(64).describe("Sealway's id of the merchant") }),
    card: z.strictObject({
      bin: z
        .string()
        .regex(/^[0-9]{6,8}$/, "6 to 8 digits")
        .exactOptional(),
      lastFour: z.string().regex(/^[0-9]{4}$/, "Four digits"),
      brand: z.enum(CARD_BRANDS),
    }),
    transaction: z.strictObject({
      amount: amountSchema,
      currency: networkCurrencySchema,
      occurredAt: z.int().min(0).describe("Epoch milliseconds"),
      descriptor: lineSchema.exactOptional(),
      authorizationCode: lineSchema.exactOptional(),
      acquirerReferenceNumber: lineSchema.exactOptional(),
    }),
    respondBy: z
      .int()
      .min(0)
      .exactOptional()
      .describe("For Ethoca: deadline of the answer, in epoch milliseconds. Default: 24 hours"),
  }),
)

export const answerAlertRequestSchema = z.lazy(() =>
  z.strictObject({
    reference: referenceSchema.describe("Identifies the answer. A repeated request is the same answer"),
    alert: z.strictObject({ network: z.enum(ALERT_NETWORKS), reference: alertReferenceSchema }),
    outcome: z.enum(ALERT_OUTCOMES),
    refund: z
      .strictObject({ amount: amountSchema, currency: networkCurrencySchema })
      .optional()
      .describe("Of what was refunded"),
    comment: z.string().max(500).optional(),
    answeredAt: z.int().min(0).describe("Epoch milliseconds"),
  }),
)

/** The result of an answer. The first accepted one is final. */
export const alertAnswerSchema = z.lazy(() =>
  z.strictObject({
    result: z
      .enum(["taken", "too-late"])
      .describe("`too-late`: the network no longer accepts an answer to this alert"),
  }),
)

export type AlertNetwork = (typeof ALERT_NETWORKS)[number]
export type AlertOutcome = (typeof ALERT_OUTCOMES)[number]
export type NetworkAlert = z.infer<typeof networkAlertSchema>
export type AnswerAlertRequest = z.infer<typeof answerAlertRequestSchema>
export type AlertAnswer = z.infer<typeof alertAnswerSchema>
