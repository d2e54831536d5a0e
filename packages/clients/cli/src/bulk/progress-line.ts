import { formatCount } from "@sealway/kernel"

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

export interface ProgressReport {
  /** Includes those of earlier runs. */
  readonly rows: number
  readonly failedRows: number
  /** Only those of this run. */
  readonly rowsOfRun: number
  readonly bytesOfRun: number
  readonly elapsedMs: number
  /** How much of the input is left; null when unknown. */
  readonly bytesLeft: number | null
}

/** Formats progress for people, for example `120,000 rows, 2 failed, 61,234 rows/s, 1 min 12 s left`. */
export function progressLine(report: ProgressReport): string {
  const { rows, failedRows, rowsOfRun, bytesOfRun, elapsedMs, bytesLeft } = report
  const perSecond = elapsedMs > 0 ? (rowsOfRun / elapsedMs) * SECOND_MS : 0
  const leftMs = bytesLeft === null || bytesOfRun === 0 ? null : (bytesLeft / bytesOfRun) * elapsedMs
  return [
    countRows(rows),
    ...(failedRows > 0 ? [`${formatCount(failedRows)} failed`] : []),
    ...(perSecond >= 1 ? [`${formatCount(Math.round(perSecond))} rows/s`] : []),
    ...(leftMs === null ? [] : [`${formatDuration(leftMs)} left`]),
  ].join(", ")
}

export function countRows(rows: number): string {
  return rows === 1 ? "1 row" : `${formatCount(rows)} rows`
}

/** Formats the two largest units: `2 h 5 min`, `1 min 12 s`, `8 s`. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.ceil(durationMs / SECOND_MS) * SECOND_MS
  if (seconds >= HOUR_MS) return `${part(seconds, HOUR_MS)} h ${part(seconds % HOUR_MS, MINUTE_MS)} min`
  if (seconds >= MINUTE_MS) return `${part(seconds, MINUTE_MS)} min ${part(seconds % MINUTE_MS, SECOND_MS)} s`
  return `${part(seconds, SECOND_MS)} s`
}

function part(durationMs: number, unitMs: number): number {
  return Math.floor(durationMs / unitMs)
}
