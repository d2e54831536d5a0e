/** The lengths of time that figures are kept by. All begin at whole multiples since the epoch, so days are those of UTC. */
export const INTERVALS = ["minute", "hour", "day"] as const

export type Interval = (typeof INTERVALS)[number]

export const INTERVAL_MS: Readonly<Record<Interval, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

const DAY_SECONDS = 86_400

/** How long figures are kept, by their interval. Minutes must outlast every fold, see `foldStats`. */
export const KEPT_SECONDS: Readonly<Record<Interval, number>> = {
  minute: 2 * DAY_SECONDS,
  hour: 40 * DAY_SECONDS,
  day: 400 * DAY_SECONDS,
}

/** Returns the beginning of the interval that an instant is in. Both in epoch milliseconds. */
export function beginOf(interval: Interval, timeMs: number): number {
  return Math.floor(timeMs / INTERVAL_MS[interval]) * INTERVAL_MS[interval]
}
