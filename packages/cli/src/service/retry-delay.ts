import type { HttpAnswer } from "../terminal/send-request.ts"

const BUSY_STATUSES = new Set([429, 503])
/** With a delay, it means that the same call is in progress, because an earlier attempt was cut off. */
const CONFLICT = 409
const MAX_DELAY_MS = 30_000
const FIRST_DELAY_MS = 500

/**
 * Returns the delay before a retry; null when that would not help. Uses `Retry-After` (RFC 9110, section 10.2.3:
 * seconds or a date), else doubles from half a second. If asked to wait longer than 30 seconds, returns null: that is
 * for the caller to decide.
 *
 * @param attempt how often it was sent, from 1
 * @param nowMs epoch milliseconds
 */
export function retryDelayMs(response: HttpAnswer, attempt: number, nowMs: number): number | null {
  const askedMs = retryAfterMs(response, nowMs)
  if (!BUSY_STATUSES.has(response.status) && !(response.status === CONFLICT && askedMs !== null)) return null
  const delayMs = askedMs ?? FIRST_DELAY_MS * 2 ** (attempt - 1)
  return delayMs <= MAX_DELAY_MS ? delayMs : null
}

/** Returns what `Retry-After` asks for; null when there is none. */
export function retryAfterMs({ headers }: HttpAnswer, nowMs: number): number | null {
  const asked = headers.get("retry-after")
  return asked === null ? null : parseRetryAfter(asked, nowMs)
}

function parseRetryAfter(text: string, nowMs: number): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? FIRST_DELAY_MS : Math.max(0, date - nowMs)
}
