import { type RetrySchedule, waitAfter } from "../schedule/retry-schedule.ts"
import type { AttemptFailure, Delivery } from "./delivery-table.ts"

/** What came of an attempt. */
export interface AttemptOutcome {
  /** Null when no answer came. */
  readonly statusCode: number | null
  /** Null when the event was taken. */
  readonly failure: AttemptFailure | null
  /** What the receiver asks for; null when it does not. */
  readonly retryAfterMs: number | null
}

/** Longer than an attempt can take, and shorter than a message stays invisible. */
export const CLAIM_MS = 60_000

export type NextStep =
  /** Another message has taken the delivery further than this one was to. */
  | { readonly do: "drop" }
  /** Not yet. */
  | { readonly do: "wait"; readonly waitMs: number }
  | { readonly do: "attempt" }
  /** All attempts were begun, and the last one never ended. */
  | { readonly do: "give-up" }

/**
 * What a message that asks for an attempt is to bring about. The record decides and messages merely wake: so that
 * a message may come twice, late, or from before a crash, and an attempt is still begun once at a time and counted.
 *
 * @param attempt the number of the attempt that the message asks for, from 1
 */
export function nextStep(delivery: Delivery, attempt: number, nowMs: number, maxAttempts: number): NextStep {
  const { status, attempts, nextAttemptAt, claimedUntil } = delivery
  if (status !== "pending") return { do: "drop" }
  if (claimedUntil !== null && claimedUntil > nowMs) return { do: "wait", waitMs: claimedUntil - nowMs }
  // A claim that is over is an attempt that crashed. Whichever message comes next takes it up.
  const isCrashed = claimedUntil !== null
  if (!isCrashed && attempt <= attempts) return { do: "drop" }
  if (attempts >= maxAttempts) return { do: "give-up" }
  if (!isCrashed && nextAttemptAt !== null && nextAttemptAt > nowMs) {
    return { do: "wait", waitMs: nextAttemptAt - nowMs }
  }
  return { do: "attempt" }
}

/** The delivery with an attempt begun. */
export function beginAttempt(delivery: Delivery, nowMs: number): Delivery {
  return {
    ...delivery,
    attempts: delivery.attempts + 1,
    claimedUntil: nowMs + CLAIM_MS,
    lastAttemptAt: nowMs,
  }
}

/** The delivery after an attempt. It is pending when there is to be another one, at `nextAttemptAt`. */
export function endAttempt(
  delivery: Delivery,
  { statusCode, failure, retryAfterMs }: AttemptOutcome,
  { nowMs, schedule, random }: { nowMs: number; schedule: RetrySchedule; random: number },
): Delivery {
  const ended = { ...delivery, claimedUntil: null, lastStatusCode: statusCode, lastFailure: failure }
  if (failure === null) return { ...ended, status: "delivered", nextAttemptAt: null }
  // 410 Gone: the receiver says that it wants no more.
  const waitMs = statusCode === 410 ? null : waitAfter(schedule, delivery.attempts, retryAfterMs, random)
  return waitMs === null
    ? { ...ended, status: "failed", nextAttemptAt: null }
    : { ...ended, status: "pending", nextAttemptAt: nowMs + waitMs }
}

/** A delivery that begins, or begins anew. */
export function startDelivery(
  place: Pick<Delivery, "appId" | "eventId" | "endpointId">,
  nowMs: number,
  expiresAt: number,
): Delivery {
  return {
    ...place,
    status: "pending",
    attempts: 0,
    nextAttemptAt: nowMs,
    claimedUntil: null,
    lastAttemptAt: null,
    lastStatusCode: null,
    lastFailure: null,
    expiresAt,
    revision: 1,
  }
}
