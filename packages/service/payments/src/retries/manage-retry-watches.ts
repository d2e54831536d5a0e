import type { App } from "@sealway/accounts"
import { currencySchema, expirySchema, moneySchema, sealableSchema } from "@sealway/bins"
import { ApiError, invalidField } from "@sealway/kernel"
import type { FilteredPage, RecordPageRequest } from "@sealway/ports"
import { type AuditAuthor, audited, authorOf } from "@sealway/records"
import * as z from "zod"
import { type CardDataSender, cardNumberOf, cardNumberToken } from "../card-number-of.ts"
import { factsOfNumber } from "../cards/card-facts.ts"
import { type OpenedCard, openRegisteredCard, registeredCardSchema } from "../cards/registered-card.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { deleteEnrolled } from "../enrolments/change-enrolled.ts"
import { findEnrolment } from "../enrolments/enrolled-record.ts"
import {
  askedAtOnce,
  entryOf,
  type KeepingDependencies,
  makeEnrolled,
  requireEnrolled,
  storedRecord,
  wakeWorker,
} from "../enrolments/keep-enrolled.ts"
import { pageEnrolled } from "../enrolments/page-enrolled.ts"
import { holdMerchantWhileThere, requireMerchant } from "../merchants/manage-merchants.ts"
import { type Merchant, RETRIES } from "../merchants/merchant.ts"
import { newRetryWatch, type RetryWatch, WATCHED_BRAND, type WatchStatus, watchAt } from "./retry-watch.ts"
import { RETRY_WATCHES } from "./retry-watch-kind.ts"

/** How far the clock of the declining party may be ahead. */
const MAX_AHEAD_MS = 5 * 60_000
/** Networks do not compare later payments with one that was declined long ago. */
const MAX_AGE_MS = 30 * 24 * 60 * 60_000

export const retryWatchInputSchema = z
  .strictObject({
    merchant: z.string().max(64).describe("Id of the merchant"),
    card: z.union([
      registeredCardSchema,
      z.strictObject({
        number: sealableSchema.describe("12 to 19 digits that pass the Luhn check, plain or as a token"),
        expiry: expirySchema,
      }),
    ]),
    declinedAmount: moneySchema,
    currency: currencySchema,
    declinedAt: z
      .int()
      .min(0)
      .describe("When the payment was declined, in epoch milliseconds: within the last 30 days"),
  })
  .meta({ id: "RetryWatchInput" })

export type RetryWatchInput = z.infer<typeof retryWatchInputSchema>

/**
 * Makes the card's network watch a card whose payment was declined.
 *
 * @throws NotFoundError for a merchant or a card that the app does not have
 * @throws InvalidRequestError, DecryptionForbiddenError naming a field that cannot be read or accepted
 * @throws ApiError `payments/retries/merchant-not-ready`; `service-unavailable` when the app has no network
 */
export async function createRetryWatch(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  { merchant: merchantId, card: given, declinedAmount, currency, declinedAt }: RetryWatchInput,
): Promise<RetryWatch> {
  const { app } = sender.principal
  const { audit, draws, wallClock } = dependencies
  const nowMs = wallClock()
  if (declinedAt > nowMs + MAX_AHEAD_MS || declinedAt < nowMs - MAX_AGE_MS) {
    throw invalidField("/declinedAt", "The time must be within the last 30 days.")
  }
  const merchant = await requireMerchant(dependencies, app, merchantId)
  const card = await openCard(dependencies, sender, given)
  await dependencies.requireCardNetwork(app)
  await requireWatchedBrand(dependencies, app, card, given)
  requireReady(merchant)
  const id = draws.newId("retry_watch", nowMs)
  const { digits, expiry } = card
  const asked = {
    merchantId,
    lastFour: digits.slice(-4),
    declinedAmount,
    currency,
    declinedAt,
    card: { number: await cardNumberToken(dependencies, app, card), expiry: { ...expiry } },
  }
  const made = newRetryWatch(id, app.id, asked, nowMs)
  const watch = await askedAtOnce(RETRY_WATCHES, dependencies, app, made)
  await holdMerchantWhileThere(dependencies, app, merchantId, { type: "retry-watch", id, since: nowMs })
  const entry = entryOf(RETRY_WATCHES, app, id, "create", authorOf(sender.caller))
  return audited(audit, entry, async () => {
    if (!(await makeEnrolled(RETRY_WATCHES, dependencies, app, watch))) {
      throw new Error("The new record's id is taken")
    }
    const stored = await storedRecord(RETRY_WATCHES, dependencies, app, watch)
    await wakeWorker(RETRY_WATCHES, dependencies, app, watch)
    return stored
  })
}

async function openCard(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  given: RetryWatchInput["card"],
): Promise<OpenedCard> {
  if (typeof given !== "string") {
    return {
      ...(await cardNumberOf(dependencies, sender, "/card/number", given.number)),
      expiry: given.expiry,
    }
  }
  const card = await openRegisteredCard(dependencies, sender, given)
  if (card === null) throw invalidField("/card", "The card is closed or invalid.")
  return card
}

async function requireWatchedBrand(
  dependencies: PaymentDependencies,
  app: App,
  { digits }: OpenedCard,
  given: RetryWatchInput["card"],
): Promise<void> {
  const { facts } = await factsOfNumber(dependencies, app, digits)
  if (facts.brand === WATCHED_BRAND) return
  throw invalidField(
    typeof given === "string" ? "/card" : "/card/number",
    "Only Mastercard cards can be watched.",
  )
}

function requireReady(merchant: Merchant): void {
  if (findEnrolment(merchant, RETRIES)?.status === "active") return
  throw new ApiError(
    "payments/retries/merchant-not-ready",
    "The merchant's enrolment for intelligent retries is not active. See the merchant's intelligentRetries for its state.",
  )
}

/** Returns the watch in its present state. @throws NotFoundError */
export async function requireRetryWatch(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "wallClock">,
  app: App,
  id: string,
): Promise<RetryWatch> {
  return watchAt(await requireEnrolled(RETRY_WATCHES, dependencies, app, id), dependencies.wallClock())
}

export interface RetryWatchFilter extends RecordPageRequest {
  /** Id. */
  readonly merchant?: string | undefined
  readonly status?: WatchStatus | undefined
}

/** Lists watches in their present state, newest first. */
export async function listRetryWatches(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "log" | "wallClock">,
  app: App,
  { merchant, status, ...page }: RetryWatchFilter,
): Promise<FilteredPage<RetryWatch>> {
  const nowMs = dependencies.wallClock()
  const { data, ...rest } = await pageEnrolled(RETRY_WATCHES, dependencies, app, page, (watch) => {
    const isOfMerchant = merchant === undefined || watch.details.merchantId === merchant
    return isOfMerchant && (status === undefined || watchAt(watch, nowMs).details.status === status)
  })
  return { data: data.map((watch) => watchAt(watch, nowMs)), ...rest }
}

/** @throws NotFoundError, ConflictError when others keep changing it */
export function deleteRetryWatch(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  return deleteEnrolled(RETRY_WATCHES, dependencies, app, id, author)
}
