import { UsageFailure } from "./failures.ts"

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
])
const DURATION = /^([0-9]{1,6})([smhd])$/
/** A date has a zone, or is a day in UTC: the meaning of "noon" must not depend on the machine. */
const DATE =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$/

/** Parses a time span such as `90s`, `15m`, `24h` or `30d`. @throws UsageFailure */
export function parseDurationMs(text: string, option: string): number {
  const durationMs = durationOf(text)
  if (durationMs === null) throw new UsageFailure(`${option} must be a time such as 90s, 15m, 24h or 30d.`)
  return durationMs
}

/**
 * Parses a point in time: a date (`2026-01-31`, in UTC), a date and time with its zone, or a span from now.
 *
 * @param nowMs epoch milliseconds
 * @param direction the direction of a span: 1 into the future, -1 into the past
 * @returns epoch milliseconds
 * @throws UsageFailure
 */
export function parseTime(text: string, option: string, nowMs: number, direction: 1 | -1): number {
  const durationMs = durationOf(text)
  if (durationMs !== null) return nowMs + direction * durationMs
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new UsageFailure(
    `${option} must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z, or a time such as 24h.`,
  )
}

function durationOf(text: string): number | null {
  const [, count, unit = ""] = DURATION.exec(text) ?? []
  const unitMs = UNIT_MS.get(unit)
  return count === undefined || unitMs === undefined ? null : Number(count) * unitMs
}
