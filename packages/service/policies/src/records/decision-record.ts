import type { DecisionContext } from "../rules/decision.ts"
import type { Outcome } from "../rules/reveal.ts"

/** Decisions of one minute on a role with the same context and outcome. Contains nothing of what was decrypted. */
export interface DecisionRecord {
  readonly role: string
  readonly context: DecisionContext
  /** Epoch milliseconds of the start of the minute. */
  readonly minuteMs: number
  /** The decision of the role's policies, without regard to spent budgets, and to what the request took. */
  readonly decision: Outcome
  readonly count: number
}

const MINUTE_MS = 60_000

export function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS
}

/** Returns a key that is equal for equal contexts. */
export function contextKey({
  source,
  ip,
  apiKeyId,
  functionName,
  relayDestination,
  hasReason,
  enclavePcrs,
}: DecisionContext): string {
  const { pcr0, pcr1, pcr2, pcr8 } = enclavePcrs ?? {}
  return JSON.stringify([
    source,
    ip,
    apiKeyId,
    functionName,
    relayDestination,
    hasReason,
    pcr0,
    pcr1,
    pcr2,
    pcr8,
  ])
}
