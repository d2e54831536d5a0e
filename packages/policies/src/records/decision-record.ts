import type { DecisionContext } from "../rules/decision.ts"

/** Decisions of one minute on a role that had one context and one outcome. Nothing of what was decrypted is in it. */
export interface DecisionRecord {
  readonly role: string
  readonly context: DecisionContext
  /** Epoch milliseconds of the minute's beginning. */
  readonly minuteMs: number
  /** What the role's policies said; a budget that was spent does not count. */
  readonly decision: "permit" | "deny"
  readonly count: number
}

const MINUTE_MS = 60_000

export function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS
}

/** Equal for contexts that say the same. */
export function contextKey({
  source,
  ip,
  apiKeyId,
  functionName,
  relayDestination,
  enclavePcrs,
}: DecisionContext): string {
  const { pcr0, pcr1, pcr2, pcr8 } = enclavePcrs ?? {}
  return JSON.stringify([source, ip, apiKeyId, functionName, relayDestination, pcr0, pcr1, pcr2, pcr8])
}
