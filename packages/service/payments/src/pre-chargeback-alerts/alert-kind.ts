import type { EnrolledKind } from "../enrolments/enrolled-kind.ts"
import { referenceOf } from "../enrolments/enrolled-record.ts"
import { createEnrolledTable } from "../enrolments/enrolled-table.ts"
import {
  ALERT_KEPT_MS,
  type AlertDecision,
  type AlertDetails,
  afterAlertNews,
  alertDetailsSchema,
  DEADLINE,
  deadlineDecision,
  isUndeliverable,
} from "./alert.ts"
import { showAlert } from "./show-alert.ts"

const EVENT_TYPES = {
  created: "payments.pre-chargeback-alert.created",
  updated: "payments.pre-chargeback-alert.updated",
  reminder: "payments.pre-chargeback-alert.reminder",
} as const

/** How alerts are stored, answered and reported. */
export const ALERTS: EnrolledKind<AlertDetails, AlertDecision> = {
  type: "chargeback-alert",
  idPrefix: "chargeback_alert",
  title: "The alert",
  table: createEnrolledTable("chargeback-alert", alertDetailsSchema, {
    keptUntil: ({ createdAt }) => createdAt + ALERT_KEPT_MS,
  }),
  eventType: EVENT_TYPES.updated,
  isListed: () => false,
  show: async (alert) => showAlert(alert),
  standing: ({ details: { status, isReminded } }) => [status, isReminded],
  tell(before, alert) {
    const isSameStatus = before.details.status === alert.details.status
    return { type: isSameStatus ? EVENT_TYPES.reminder : EVENT_TYPES.updated, data: showAlert(alert) }
  },

  async enrol(network, alert, enrolment, { wallClock }) {
    if (enrolment.name === DEADLINE) return deadlineDecision(alert, wallClock())
    const { network: name, reference, outcome, refundedAmount, comment, answeredAt } = alert.details
    if (outcome === null || answeredAt === null)
      throw new Error("An alert without an answer has none to tell")
    if (isUndeliverable(alert, wallClock())) return { status: "failed", news: "too-late" }
    const { currency } = alert.details.transaction
    const { result } = await network.answerAlert({
      reference: referenceOf(alert, enrolment),
      alert: { network: name, reference },
      outcome,
      ...(refundedAmount !== null && { refund: { amount: refundedAmount, currency } }),
      ...(comment !== null && { comment }),
      answeredAt,
    })
    return result === "taken" ? { status: "active", news: "taken" } : { status: "failed", news: "too-late" }
  },

  // An answered alert needs no network when its time is over.
  withdraw: async () => undefined,

  take: async (alert, { news }) => afterAlertNews(alert, news),
}

/** Returns the event of a new alert. */
export const toldOfNewAlert = (alert: Parameters<typeof showAlert>[0]) => ({
  type: EVENT_TYPES.created,
  data: showAlert(alert),
})
