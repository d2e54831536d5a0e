import type { EnrolledKind } from "../enrolments/enrolled-kind.ts"
import { referenceOf } from "../enrolments/enrolled-record.ts"
import { createEnrolledTable } from "../enrolments/enrolled-table.ts"
import type { EnrolmentDecision } from "../enrolments/enrolment.ts"
import { releaseMerchant } from "../merchants/merchant-uses.ts"
import type { WatchStanding } from "../networks/messages/retries.ts"
import { openOwnNumber } from "../own-number.ts"
import {
  afterExpiry,
  afterSignal,
  type RetryWatch,
  type RetryWatchDetails,
  retryWatchDetailsSchema,
  WATCH_KEPT_MS,
  watchExpiresAt,
  withoutCard,
} from "./retry-watch.ts"
import { showRetryWatch } from "./show-retry-watch.ts"

/** A network's answer about a watch, or the end of its time. */
type WatchDecision = EnrolmentDecision & { readonly standing: WatchStanding | { readonly status: "expired" } }

/** How retry watches are stored, requested and reported. */
export const RETRY_WATCHES: EnrolledKind<RetryWatchDetails, WatchDecision> = {
  type: "retry-watch",
  idPrefix: "retry_watch",
  title: "The retry watch",
  table: createEnrolledTable("retry-watch", retryWatchDetailsSchema, {
    keptUntil: ({ createdAt }) => createdAt + WATCH_KEPT_MS,
  }),
  eventType: "payments.intelligent-retries.signal",
  isListed: () => false,
  show: async (watch) => showRetryWatch(watch),
  standing: ({ details }) => details.signal,
  tell: (_, { id, details }) => ({ data: { watch: id, ...details.signal } }),

  async enrol(network, watch, enrolment, { app, keyring, wallClock }) {
    const { merchantId, card, declinedAmount, currency, declinedAt } = watch.details
    const expiresAt = watchExpiresAt(watch)
    const restMs = expiresAt - wallClock()
    if (restMs <= 0) return { status: "active", standing: { status: "expired" } }
    // Its network has it, and reports by itself.
    if (card === null) return { status: "active", checkAfterMs: restMs, standing: { status: "watching" } }
    const standing = await network.watchRetry({
      reference: referenceOf(watch, enrolment),
      requestedAt: enrolment.requestedAt,
      merchant: { id: merchantId },
      card: { number: await openOwnNumber(keyring, app, card.number), expiry: card.expiry },
      declinedAmount,
      currency,
      declinedAt,
      expiresAt,
    })
    return watchDecisionOf(watch, standing, wallClock())
  },

  withdraw: (network, watch, enrolment) => network.unwatchRetry({ reference: referenceOf(watch, enrolment) }),

  async take(watch, { standing }, _, { wallClock }) {
    const nowMs = wallClock()
    switch (standing.status) {
      case "watching":
        // A watch that must be requested again needs the number.
        return standing.checkAfterMs === undefined ? withoutCard(watch) : watch
      case "signalled": {
        const { signal, confidence } = standing
        return afterSignal(watch, { signal, confidence, occurredAt: nowMs }, nowMs)
      }
      case "expired":
        return afterExpiry(watch, nowMs)
    }
  },

  isEnded: ({ status }) => status !== "watching",
  release: ({ id, appId, details: { merchantId } }, _, { paymentsTable }) =>
    releaseMerchant(paymentsTable, appId, merchantId, id),
}

/** It is checked again when its network requires it, and when its time is over. */
function watchDecisionOf(watch: RetryWatch, standing: WatchStanding, nowMs: number): WatchDecision {
  const restMs = watchExpiresAt(watch) - nowMs
  if (standing.status === "signalled") return { status: "active", standing }
  const { checkAfterMs = restMs } = standing
  return { status: "active", checkAfterMs: Math.min(checkAfterMs, restMs), standing }
}
