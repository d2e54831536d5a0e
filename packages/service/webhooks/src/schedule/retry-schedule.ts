const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** How often a delivery is tried, and how far apart. */
export interface RetrySchedule {
  /** The waits between attempts, in milliseconds: one fewer than attempts. */
  readonly waitsMs: readonly number[]
  /** Each wait is randomly longer or shorter by up to this fraction. */
  readonly jitter: number
  /** The longest wait that a receiver may ask for with `Retry-After`. */
  readonly maxRetryAfterMs: number
}

/** 8 attempts over about 10 hours. */
export const RETRY_SCHEDULE: RetrySchedule = {
  waitsMs: [
    10 * SECOND_MS,
    MINUTE_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    1.5 * HOUR_MS,
    3 * HOUR_MS,
    5 * HOUR_MS,
  ],
  jitter: 0.2,
  maxRetryAfterMs: 2 * HOUR_MS,
}

/**
 * Returns how long to wait after a failed attempt, in milliseconds; null when it was the last one. The receiver's
 * request lengthens the wait, within a limit, and never shortens it.
 *
 * @param attempts attempts made so far, from 1
 * @param retryAfterMs the delay that the receiver asks for; null when it asks for none
 * @param random a number from 0 to less than 1
 */
export function waitAfter(
  { waitsMs, jitter, maxRetryAfterMs }: RetrySchedule,
  attempts: number,
  retryAfterMs: number | null,
  random: number,
): number | null {
  const waitMs = waitsMs[attempts - 1]
  if (waitMs === undefined) return null
  const jittered = waitMs * (1 - jitter + 2 * jitter * random)
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, maxRetryAfterMs)))
}

const MAX_HEADER_CHARACTERS = 64

/**
 * Parses a `Retry-After` header (RFC 9110 section 10.2.3) to milliseconds; null when it is absent or malformed.
 *
 * @param nowMs epoch milliseconds
 */
export function parseRetryAfter(header: unknown, nowMs: number): number | null {
  if (typeof header !== "string" || header.length > MAX_HEADER_CHARACTERS) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS
  // Date.parse accepts far more than HTTP dates, which all start with the name of a day.
  const atMs = /^[A-Z][a-z]{2,8},? /.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
