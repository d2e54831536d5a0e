import { brandSchema, createdAtSchema, moneySchema, showTimes, updatedAtSchema } from "@sealway/bins"
import * as z from "zod"
import { ALERT_NETWORKS, ALERT_OUTCOMES, ALERT_TYPES } from "../networks/messages/pre-chargeback-alerts.ts"
import { ALERT_STATUSES, type Alert } from "./alert.ts"

export const alertNetworkSchema = z.enum(ALERT_NETWORKS)
export const alertTypeSchema = z.enum(ALERT_TYPES)
export const alertStatusSchema = z
  .enum(ALERT_STATUSES)
  .describe(
    "`expired`: there was no answer in time; or, if there is an `outcome`, the network no longer accepted the answer",
  )

/** A pre-chargeback alert in API responses. */
export const alertSchema = z.lazy(() =>
  z
    .object({
      id: z.string(),
      network: alertNetworkSchema,
      type: alertTypeSchema,
      merchant: z.string().describe("Id of the merchant"),
      card: z.object({ bin: z.string().exactOptional(), lastFour: z.string(), brand: brandSchema }),
      transaction: z.object({
        amount: moneySchema,
        currency: z.string().describe("ISO 4217, in lower case"),
        occurredAt: z.int().describe("Epoch milliseconds"),
        descriptor: z.string().exactOptional(),
        authorizationCode: z.string().exactOptional(),
        acquirerReferenceNumber: z.string().exactOptional(),
      }),
      status: alertStatusSchema,
      outcome: z.enum(ALERT_OUTCOMES).nullable().describe("Null until there is an answer"),
      refundedAmount: moneySchema.exactOptional().describe("Of a refund, in the transaction's currency"),
      comment: z.string().exactOptional(),
      respondBy: z
        .int()
        .nullable()
        .describe("Deadline of the answer, in epoch milliseconds; null for an alert that is decided at once"),
      createdAt: createdAtSchema,
      updatedAt: updatedAtSchema,
    })
    .meta({ id: "PreChargebackAlert" }),
)

export function showAlert(alert: Alert): z.infer<typeof alertSchema> {
  const { id, details } = alert
  const { network, type, merchantId, card, transaction, status, outcome } = details
  const { refundedAmount, comment, respondBy } = details
  return {
    id,
    network,
    type,
    merchant: merchantId,
    card,
    transaction,
    status,
    outcome,
    ...(refundedAmount !== null && { refundedAmount }),
    ...(comment !== null && { comment }),
    respondBy,
    ...showTimes(alert),
  }
}
