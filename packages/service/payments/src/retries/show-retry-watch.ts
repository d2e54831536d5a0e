import { createdAtSchema, moneySchema, showTimes, updatedAtSchema } from "@sealway/bins"
import * as z from "zod"
import { type RetryWatch, WATCH_STATUSES, WATCHED_BRAND } from "./retry-watch.ts"

export const watchStatusSchema = z
  .enum(WATCH_STATUSES)
  .describe(
    "`signalled`: the network said to retry now. `stopped`: it said not to retry. `expired`: there was no signal for 30 days",
  )

/** A retry watch in API responses. */
export const retryWatchSchema = z
  .object({
    id: z.string(),
    merchant: z.string().describe("Id of the merchant"),
    card: z.object({ lastFour: z.string(), brand: z.literal(WATCHED_BRAND) }),
    declinedAmount: moneySchema,
    currency: z.string().describe("ISO 4217, in lower case"),
    declinedAt: z.int().describe("Epoch milliseconds"),
    status: watchStatusSchema,
    createdAt: createdAtSchema,
    updatedAt: updatedAtSchema,
  })
  .meta({ id: "RetryWatch" })

export function showRetryWatch(watch: RetryWatch): z.infer<typeof retryWatchSchema> {
  const { id, details } = watch
  const { merchantId, lastFour, declinedAmount, currency, declinedAt, status } = details
  return {
    id,
    merchant: merchantId,
    card: { lastFour, brand: WATCHED_BRAND },
    declinedAmount,
    currency,
    declinedAt,
    status,
    ...showTimes(watch),
  }
}
