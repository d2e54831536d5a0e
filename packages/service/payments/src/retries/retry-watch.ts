import * as z from "zod"
import { type CardExpiry, storedExpirySchema } from "../cards/card.ts"
import {
  type EnrolledRecord,
  newRecord,
  requestEnrolment,
  withdrawEnrolment,
} from "../enrolments/enrolled-record.ts"
import {
  type RetryConfidence,
  type RetrySignal,
  retryConfidenceSchema,
  retrySignalSchema,
} from "../networks/messages/retries.ts"

export const WATCH_STATUSES = ["watching", "signalled", "stopped", "expired"] as const
export type WatchStatus = (typeof WATCH_STATUSES)[number]

/** The brand whose network says when to retry. */
export const WATCHED_BRAND = "mastercard"

const DAY_MS = 24 * 60 * 60_000
/** How long a card is watched. */
export const WATCH_MS = 30 * DAY_MS
/** How long a watch can be read after its start. */
export const WATCH_KEPT_MS = 90 * DAY_MS

/** The stored, sealed part of a watch. */
export const retryWatchDetailsSchema = z.object({
  merchantId: z.string(),
  /** The card until its network watches it, its number as a token; null from then on. */
  card: z.object({ number: z.string(), expiry: storedExpirySchema }).nullable(),
  lastFour: z.string(),
  declinedAmount: z.number(),
  currency: z.string(),
  declinedAt: z.number(),
  status: z.enum(WATCH_STATUSES),
  signal: z
    .object({ signal: retrySignalSchema, confidence: retryConfidenceSchema, occurredAt: z.number() })
    .nullable(),
})

export type RetryWatchDetails = z.infer<typeof retryWatchDetailsSchema>
export type RetryWatch = EnrolledRecord<RetryWatchDetails>

/** A network's signal about a watched card. */
export interface ToldSignal {
  readonly signal: RetrySignal
  readonly confidence: RetryConfidence
  /** Epoch milliseconds. */
  readonly occurredAt: number
}

type WatchStep = RetrySignal | "expire"

/** The next status after each step, by the present one. A missing step changes nothing: a watch ends once. */
export const WATCH_STEPS: Readonly<Record<WatchStatus, Partial<Readonly<Record<WatchStep, WatchStatus>>>>> = {
  watching: { "retry-now": "signalled", stop: "stopped", expire: "expired" },
  signalled: {},
  stopped: {},
  expired: {},
}

/** The name of a watch's only enrolment. */
export const SIGNAL = "signal"

export interface NewRetryWatch {
  readonly merchantId: string
  readonly card: { readonly number: string; readonly expiry: CardExpiry }
  readonly lastFour: string
  readonly declinedAmount: number
  readonly currency: string
  readonly declinedAt: number
}

/** Returns a new watch, which is requested. @param nowMs epoch milliseconds */
export function newRetryWatch(id: string, appId: string, given: NewRetryWatch, nowMs: number): RetryWatch {
  const details = { ...given, status: "watching", signal: null } as const
  return requestEnrolment(newRecord(id, appId, details, nowMs), SIGNAL, nowMs)
}

export const watchExpiresAt = ({ createdAt }: Pick<RetryWatch, "createdAt">): number => createdAt + WATCH_MS

/** Returns the watch once its network has it: only the last four digits of the number are kept. */
export function withoutCard(watch: RetryWatch): RetryWatch {
  return { ...watch, details: { ...watch.details, card: null } }
}

/** Returns the watch after a signal; the same object when it has ended before. */
export function afterSignal(watch: RetryWatch, told: ToldSignal, nowMs: number): RetryWatch {
  // The remaining time may have run out before a worker has stored that.
  const ended = nowMs >= watchExpiresAt(watch) ? null : afterStep(watch, told.signal, nowMs)
  return ended === null ? watch : { ...ended, details: { ...ended.details, signal: { ...told } } }
}

/** Returns the watch after its time is over; the same object when it has ended before. */
export function afterExpiry(watch: RetryWatch, nowMs: number): RetryWatch {
  const ended = afterStep(watch, "expire", nowMs)
  return ended === null ? watch : { ...ended, updatedAt: nowMs }
}

/** Returns null when the step changes nothing. */
function afterStep(watch: RetryWatch, step: WatchStep, nowMs: number): RetryWatch | null {
  const status = WATCH_STEPS[watch.details.status][step]
  if (status === undefined || watch.deletedAt !== null) return null
  const ended = withoutCard({ ...watch, details: { ...watch.details, status } })
  return withdrawEnrolment(ended, SIGNAL, nowMs)
}

/** Returns the watch as it is at a time, though no worker may have stored that yet. */
export function watchAt(watch: RetryWatch, nowMs: number): RetryWatch {
  const endsAt = watchExpiresAt(watch)
  return nowMs < endsAt ? watch : afterExpiry(watch, endsAt)
}
