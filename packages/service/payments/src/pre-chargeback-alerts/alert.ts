import { brandSchema } from "@sealway/bins"
import * as z from "zod"
import {
  type EnrolledRecord,
  newRecord,
  requestEnrolment,
  withdrawEnrolment,
  withEvent,
} from "../enrolments/enrolled-record.ts"
import type { EnrolmentDecision } from "../enrolments/enrolment.ts"
import {
  ALERT_NETWORKS,
  ALERT_OUTCOMES,
  ALERT_TYPES,
  type AlertOutcome,
} from "../networks/messages/pre-chargeback-alerts.ts"

export const ALERT_STATUSES = ["open", "resolved", "expired"] as const
export type AlertStatus = (typeof ALERT_STATUSES)[number]

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
/** How long an answer may take where the network does not say. */
export const RESPOND_MS = 24 * HOUR_MS
/** How long before the deadline the app is reminded; half of a shorter time. */
const REMINDER_MS = 4 * HOUR_MS
/** How long an alert can be read: disputes are brought within 540 days. */
export const ALERT_KEPT_MS = 540 * DAY_MS
/** An answer that could not be delivered to its network for so long comes too late. */
const UNDELIVERED_MS = 30 * DAY_MS

/** The stored, sealed part of an alert. */
export const alertDetailsSchema = z.lazy(() =>
  z.object({
    network: z.enum(ALERT_NETWORKS),
    /** The network's reference for it. */
    reference: z.string(),
    type: z.enum(ALERT_TYPES),
    merchantId: z.string(),
    card: z.object({ bin: z.string().exactOptional(), lastFour: z.string(), brand: brandSchema }),
    transaction: z.object({
      amount: z.number(),
      currency: z.string(),
      occurredAt: z.number(),
      descriptor: z.string().exactOptional(),
      authorizationCode: z.string().exactOptional(),
      acquirerReferenceNumber: z.string().exactOptional(),
    }),
    status: z.enum(ALERT_STATUSES),
    outcome: z.enum(ALERT_OUTCOMES).nullable(),
    /** Of a refund, in the transaction's currency. */
    refundedAmount: z.number().nullable(),
    comment: z.string().nullable(),
    /** Epoch milliseconds; null until there is an answer. */
    answeredAt: z.number().nullable(),
    /** Epoch milliseconds; null for an alert that is decided at once. */
    respondBy: z.number().nullable(),
    isReminded: z.boolean(),
  }),
)

export type AlertDetails = z.infer<typeof alertDetailsSchema>
export type Alert = EnrolledRecord<AlertDetails>

type AlertStep = "answer" | "expire" | "refuse"

/** The next status after each step, by the present one. A missing step changes nothing: the first answer is final. */
export const ALERT_STEPS: Readonly<Record<AlertStatus, Partial<Readonly<Record<AlertStep, AlertStatus>>>>> = {
  open: { answer: "resolved", expire: "expired" },
  // The network no longer accepts the answer.
  resolved: { refuse: "expired" },
  expired: {},
}

/** The two reasons to check an alert again: its deadline, and its answer. */
export const DEADLINE = "deadline"
export const ANSWER = "answer"

export interface AlertAnswerInput {
  readonly outcome: AlertOutcome
  readonly refundedAmount: number | null
  readonly comment: string | null
}

export type NewAlert = Pick<
  AlertDetails,
  "network" | "reference" | "type" | "merchantId" | "card" | "transaction"
>

const UNANSWERED = { outcome: null, refundedAmount: null, comment: null, answeredAt: null }

/** Returns a new alert that its app must answer; it has expired if its time is over. @param nowMs epoch milliseconds */
export function newOpenAlert(
  id: string,
  appId: string,
  { respondBy, ...given }: NewAlert & { readonly respondBy: number },
  nowMs: number,
): Alert {
  const status = respondBy > nowMs ? "open" : "expired"
  const details = { ...given, ...UNANSWERED, status, respondBy, isReminded: false } as const
  const alert: Alert = newRecord(id, appId, details, nowMs)
  if (status === "expired") return alert
  const asked = requestEnrolment(alert, DEADLINE, nowMs)
  const answer = deadlineDecision(asked, nowMs)
  return withEvent(asked, DEADLINE, { type: "news", round: asked.rounds, atMs: nowMs, answer })
}

/** Returns a new alert that is decided at once. @param nowMs epoch milliseconds */
export function newDecidedAlert(
  id: string,
  appId: string,
  given: NewAlert,
  outcome: "refunded" | "declined",
  nowMs: number,
): Alert {
  const refundedAmount = outcome === "refunded" ? given.transaction.amount : null
  const answer = { outcome, refundedAmount, comment: null, answeredAt: nowMs }
  const details = { ...given, ...answer, status: "resolved", respondBy: null, isReminded: false } as const
  return requestEnrolment(newRecord(id, appId, details, nowMs), ANSWER, nowMs)
}

/** Returns the alert with an answer that must be sent to its network; null when it accepts none. */
export function afterAnswer(alert: Alert, answer: AlertAnswerInput, nowMs: number): Alert | null {
  const status = ALERT_STEPS[alertAt(alert, nowMs).details.status].answer
  if (status === undefined) return null
  const answered = { ...alert, details: { ...alert.details, ...answer, answeredAt: nowMs, status } }
  return requestEnrolment(withdrawEnrolment(answered, DEADLINE, nowMs), ANSWER, nowMs)
}

/** The result of a check of an alert. */
export type AlertNews = "waiting" | "reminder" | "over" | "taken" | "too-late"
export type AlertDecision = EnrolmentDecision & { readonly news: AlertNews }

/** Returns what the deadline of an alert requires now. @param nowMs epoch milliseconds */
export function deadlineDecision({ details: { respondBy }, createdAt }: Alert, nowMs: number): AlertDecision {
  const endsAt = respondBy ?? nowMs
  if (nowMs >= endsAt) return { status: "active", news: "over" }
  const remindAt = endsAt - Math.min(REMINDER_MS, Math.ceil((endsAt - createdAt) / 2))
  if (nowMs >= remindAt) return { status: "active", checkAfterMs: endsAt - nowMs, news: "reminder" }
  return { status: "active", checkAfterMs: remindAt - nowMs, news: "waiting" }
}

export function isUndeliverable({ details: { answeredAt } }: Alert, nowMs: number): boolean {
  return answeredAt !== null && nowMs - answeredAt > UNDELIVERED_MS
}

/** Returns the alert after a check; the same object when the check changes nothing. */
export function afterAlertNews(alert: Alert, news: AlertNews): Alert {
  const { details } = alert
  switch (news) {
    case "waiting":
    case "taken":
      return alert
    case "reminder":
      return details.status === "open" && !details.isReminded
        ? { ...alert, details: { ...details, isReminded: true } }
        : alert
    case "over":
      return afterStep(alert, "expire")
    case "too-late":
      return afterStep(alert, "refuse")
  }
}

function afterStep(alert: Alert, step: Exclude<AlertStep, "answer">): Alert {
  const status = ALERT_STEPS[alert.details.status][step]
  return status === undefined ? alert : { ...alert, details: { ...alert.details, status } }
}

/** Returns the alert as it is at a time, though no worker may have stored that yet. */
export function alertAt(alert: Alert, nowMs: number): Alert {
  const { respondBy } = alert.details
  if (respondBy === null || nowMs < respondBy) return alert
  const expired = afterStep(alert, "expire")
  return expired === alert ? alert : { ...expired, updatedAt: respondBy }
}
