import type { WatchRetryRequest, WatchStanding } from "../messages/retries.ts"
import { outcomeOf } from "./outcome-of.ts"

const SIGNALS: ReadonlyMap<string | null, WatchStanding> = new Map([
  ["701", { status: "signalled", signal: "retry-now", confidence: "high" }],
  ["702", { status: "signalled", signal: "stop", confidence: "high" }],
])
const SIGNALLED_AFTER_MS = 1_000

/** Returns the state of a watch, by the card's number and how long ago it began. @param nowMs epoch milliseconds */
export function sandboxWatch({ card, requestedAt }: WatchRetryRequest, nowMs: number): WatchStanding {
  const signalled = SIGNALS.get(outcomeOf(card.number))
  if (signalled === undefined) return { status: "watching" }
  const restMs = requestedAt + SIGNALLED_AFTER_MS - nowMs
  if (restMs <= 0) return signalled
  return { status: "watching", checkAfterMs: Math.min(restMs, SIGNALLED_AFTER_MS) }
}
