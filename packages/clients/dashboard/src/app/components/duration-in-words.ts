const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Returns the two largest parts of a duration: `6 days 23 hours`, `59 minutes 30 seconds`. */
export function durationInWords(ms: number): string {
  const parts = [
    [Math.floor(ms / DAY_MS), "day"],
    [Math.floor((ms % DAY_MS) / HOUR_MS), "hour"],
    [Math.floor((ms % HOUR_MS) / MINUTE_MS), "minute"],
    [Math.floor((ms % MINUTE_MS) / 1_000), "second"],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  const shown = first === -1 ? parts.slice(-1) : parts.slice(first, first + 2)
  return shown.map(([count, unit]) => `${count} ${unit}${count === 1 ? "" : "s"}`).join(" ")
}
