const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 8_000
/** What a service may ask for; a caller who waits longer had better hear of the error. */
const MAX_ASKED_MS = 60_000

/** Answers that another attempt may improve: too many requests, and a gateway's or the service's word that it is busy. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Whether a refused request may succeed if it is sent again.
 *
 * @param hasIdempotencyKey then a 409 with `Retry-After` means that an earlier attempt is still under way
 */
export function isTransient(
  status: number,
  retryAfterMs: number | null,
  hasIdempotencyKey: boolean,
): boolean {
  return TRANSIENT_STATUSES.has(status) || (status === 409 && hasIdempotencyKey && retryAfterMs !== null)
}

/** Returns what the header `Retry-After` asks for, in milliseconds; null for none, and for a date. */
export function parseRetryAfter(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) * 1000 : null
}

/**
 * Returns how long to wait before the next attempt: what the service asked for and up to half as much again, or a
 * random share of a time that doubles with each attempt. Null: longer than callers want to wait.
 *
 * @param attempt 0 for the first
 */
export function retryDelayMs(
  attempt: number,
  retryAfterMs: number | null,
  random: () => number,
): number | null {
  if (retryAfterMs === null) return random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt)
  return retryAfterMs > MAX_ASKED_MS ? null : retryAfterMs * (1 + random() / 2)
}
