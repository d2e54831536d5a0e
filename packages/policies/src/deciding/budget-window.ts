import type { Period } from "../rules/conditions.ts"

const PERIOD_MS: Readonly<Record<Period, number>> = {
  minute: 60_000,
  hour: 60 * 60_000,
  day: 24 * 60 * 60_000,
}

/** A budget is counted from here to there, and then anew. */
export interface BudgetWindow {
  /** Epoch milliseconds, inclusive. */
  readonly startMs: number
  /** Epoch milliseconds, exclusive. */
  readonly endMs: number
}

/** The minute, hour or day of UTC that an instant is in. @param timeMs epoch milliseconds */
export function budgetWindow(per: Period, timeMs: number): BudgetWindow {
  const startMs = Math.floor(timeMs / PERIOD_MS[per]) * PERIOD_MS[per]
  return { startMs, endMs: startMs + PERIOD_MS[per] }
}
