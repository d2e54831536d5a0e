import type { Period } from "../rules/conditions.ts"

const PERIOD_MS: Readonly<Record<Period, number>> = {
  minute: 60_000,
  hour: 60 * 60_000,
  day: 24 * 60 * 60_000,
}

/** The time range in which a budget is counted before it starts again. */
export interface BudgetWindow {
  /** Epoch milliseconds, inclusive. */
  readonly startMs: number
  /** Epoch milliseconds, exclusive. */
  readonly endMs: number
}

/** Returns the UTC minute, hour or day of an instant. @param timeMs epoch milliseconds */
export function budgetWindow(per: Period, timeMs: number): BudgetWindow {
  const startMs = Math.floor(timeMs / PERIOD_MS[per]) * PERIOD_MS[per]
  return { startMs, endMs: startMs + PERIOD_MS[per] }
}
