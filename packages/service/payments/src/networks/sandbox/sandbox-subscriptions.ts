import { cardBrandOf } from "@sealway/kernel"
import type { SubscribeUpdatesRequest, SubscriptionAnswer } from "../messages/account-updater.ts"
import { TOKEN_BRANDS } from "../messages/enrolment.ts"
import { outcomeOf } from "./outcome-of.ts"
import { sandboxBin } from "./sandbox-bins.ts"

const FAILED = "603"
const SLOW = "606"
const SLOW_MS = 2_000
const UPDATED_BRANDS: ReadonlySet<string> = new Set(TOKEN_BRANDS)

/**
 * Returns the state of a subscription, by its number and how long ago it was requested. It fails for brands without an
 * account updater, and for network tokens, which their providers keep up to date.
 *
 * @param nowMs epoch milliseconds
 */
export function sandboxSubscription(
  { number, requestedAt }: SubscribeUpdatesRequest,
  nowMs: number,
): SubscriptionAnswer {
  const outcome = outcomeOf(number)
  const { range } = sandboxBin({ number })
  const brand = range?.brand ?? cardBrandOf(number)
  if (outcome === FAILED || range?.type === "network-token" || brand === null || !UPDATED_BRANDS.has(brand)) {
    return { status: "failed" }
  }
  const restMs = outcome === SLOW ? requestedAt + SLOW_MS - nowMs : 0
  return restMs <= 0 ? { status: "active" } : { status: "pending", checkAfterMs: Math.min(restMs, SLOW_MS) }
}
