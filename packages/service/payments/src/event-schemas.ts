import { expirySchema } from "@sealway/bins"
import * as z from "zod"
import { UPDATE_TYPES } from "./account-updater/subscription.ts"
import { acquirerSchema } from "./acquirers/show-acquirer.ts"
import { cardSchema } from "./cards/show-card.ts"
import { merchantSchema } from "./merchants/show-merchant.ts"
import { networkTokenSchema } from "./network-tokens/show-network-token.ts"
import { retryConfidenceSchema, retrySignalSchema } from "./networks/messages/retries.ts"
import { alertSchema } from "./pre-chargeback-alerts/show-alert.ts"
import { sessionSchema } from "./three-d-secure-sessions/record/session-schema.ts"

const occurredAtSchema = z.int().describe("Epoch milliseconds, of the network")

/** The data of the events of payments. */
export const PAYMENT_EVENT_SCHEMAS = {
  "payments.merchant.updated": merchantSchema,
  "payments.acquirer.updated": acquirerSchema,
  "payments.3ds-session.success": sessionSchema,
  "payments.3ds-session.failure": sessionSchema,
  "payments.network-token.updated": networkTokenSchema,
  "payments.card.updated": cardSchema,
  "payments.account-updater.updated": z
    .object({
      subscription: z.string().describe("Id of the subscription"),
      updateType: z.enum(UPDATE_TYPES),
      replacement: z
        .object({ number: z.string().describe("As a token"), expiry: expirySchema })
        .exactOptional()
        .describe("The card after a new number or expiry"),
      occurredAt: occurredAtSchema,
    })
    .meta({ id: "AccountUpdate" }),
  "payments.intelligent-retries.signal": z
    .object({
      watch: z.string().describe("Id of the watch"),
      signal: retrySignalSchema,
      confidence: retryConfidenceSchema,
      occurredAt: occurredAtSchema,
    })
    .meta({ id: "IntelligentRetrySignal" }),
  "payments.pre-chargeback-alert.created": alertSchema,
  "payments.pre-chargeback-alert.updated": alertSchema,
  "payments.pre-chargeback-alert.reminder": alertSchema,
} as const
