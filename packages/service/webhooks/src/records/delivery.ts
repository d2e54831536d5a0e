import { type RetrySchedule, waitAfter } from "../schedule/retry-schedule.ts"
import type { AttemptFailure, Delivery } from "./delivery-table.ts"

/** The outcome of an attempt. */
export interface AttemptOutcome {
  /** Null when there was no response. */
  readonly statusCode: number | null
  /** Null when the event was accepted. */
  readonly failure: AttemptFailure | null
  /** The delay that the receiver asks for; null when it asks for none. */
  readonly retryAfterMs: number | null
}

/** Longer than an attempt can take, and shorter than a message stays invisible. */
export const CLAIM_MS = 60_000

/** How often a worker may die during attempts of one delivery. These attempts may or may not have reached the receiver. */
export const MAX_INTERRUPTIONS = 16
const MINUTE_MS = 60_000
/** So often, the attempt is made again at once: most processes die for a deployment. */
const QUICK_INTERRUPTIONS = 2
const MAX_REST_MS = 90 * MINUTE_MS

export type NextStep =
  /** Another message has already got the delivery further. */
  | { readonly do: "drop" }
  /** It is not due yet. */
  | { readonly do: "wait"; readonly waitMs: number }
  | { readonly do: "attempt" }
  /** Its worker has died again: it may die of something that will be repaired. */
  | { readonly do: "rest"; readonly delivery: Delivery; readonly waitMs: number }
  /** Its worker died too often: it may be the delivery that kills them. */
  | { readonly do: "give-up" }

/**
 * Decides what a message that requests an attempt must do. The record decides; a message is only a wake-up call. So a
 * message may come twice, late, or from before a crash, and attempts are still made one at a time and counted.
 *
 * @param attempt the number of the requested attempt, from 1
 */
export function nextStep(delivery: Delivery, attempt: number, nowMs: number): NextStep {
  const { status, attempts, interruptions, nextAttemptAt, claimedUntil } = delivery
  if (status !== "pending") return { do: "drop" }
  if (claimedUntil !== null && claimedUntil > nowMs) return { do: "wait", waitMs: claimedUntil - nowMs }
  // An expired claim means that the attempt crashed. The next message of any kind takes it up.
  const isCrashed = claimedUntil !== null
  if (!isCrashed && attempt <= attempts) return { do: "drop" }
  if (interruptions >= MAX_INTERRUPTIONS) return { do: "give-up" }
  if (!isCrashed && nextAttemptAt !== null && nextAttemptAt > nowMs) {
    return { do: "wait", waitMs: nextAttemptAt - nowMs }
  }
  const waitMs = isCrashed ? restAfter(interruptions + 1) : 0
  return waitMs > 0 ? { do: "rest", delivery: interruptAttempt(delivery, nowMs), waitMs } : { do: "attempt" }
}

/**
 * Returns how long an attempt waits that is made again after so many interruptions. Together they take longer than all
 * attempts: nothing is given up because processes die for some hours, whatever they die of.
 */
function restAfter(interruptions: number): number {
  const doubled = interruptions - QUICK_INTERRUPTIONS
  return doubled <= 0 ? 0 : Math.min(MINUTE_MS * 2 ** (doubled - 1), MAX_REST_MS)
}

/**
 * Returns the delivery without the attempt under way, whose worker has died. It is made again: a receiver gets all its
 * attempts, however often workers die.
 */
export function interruptAttempt(delivery: Delivery, nowMs: number): Delivery {
  const interruptions = delivery.interruptions + 1
  const nextAttemptAt = nowMs + restAfter(interruptions)
  return { ...delivery, attempts: delivery.attempts - 1, interruptions, nextAttemptAt, claimedUntil: null }
}

/** Returns the delivery with a new attempt, in the place of one that was interrupted. */
export function beginAttempt(delivery: Delivery, nowMs: number): Delivery {
  const previous = delivery.claimedUntil === null ? delivery : interruptAttempt(delivery, nowMs)
  return {
    ...previous,
    attempts: previous.attempts + 1,
    claimedUntil: nowMs + CLAIM_MS,
    lastAttemptAt: nowMs,
  }
}

/** Returns the delivery after an attempt. It is pending when there will be another one, at `nextAttemptAt`. */
export function endAttempt(
  delivery: Delivery,
  { statusCode, failure, retryAfterMs }: AttemptOutcome,
  { nowMs, schedule, random }: { nowMs: number; schedule: RetrySchedule; random: number },
): Delivery {
  const ended = { ...delivery, claimedUntil: null, lastStatusCode: statusCode, lastFailure: failure }
  if (failure === null) return { ...ended, status: "delivered", nextAttemptAt: null }
  // 410 Gone: the receiver wants no more events.
  const waitMs = statusCode === 410 ? null : waitAfter(schedule, delivery.attempts, retryAfterMs, random)
  return waitMs === null
    ? { ...ended, status: "failed", nextAttemptAt: null }
    : { ...ended, status: "pending", nextAttemptAt: nowMs + waitMs }
}

/** Returns a delivery at its start, or started again. */
export function startDelivery(
  place: Pick<Delivery, "appId" | "eventId" | "endpointId">,
  nowMs: number,
  expiresAt: number,
): Delivery {
  return {
    ...place,
    status: "pending",
    attempts: 0,
    interruptions: 0,
    nextAttemptAt: nowMs,
    claimedUntil: null,
    lastAttemptAt: null,
    lastStatusCode: null,
    lastFailure: null,
    expiresAt,
    revision: 1,
  }
}
