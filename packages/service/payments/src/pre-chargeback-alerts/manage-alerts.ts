import type { App } from "@sealway/accounts"
import { moneySchema } from "@sealway/bins"
import { ConflictError, invalidField, NotFoundError } from "@sealway/kernel"
import type { FilteredPage, RecordPageRequest } from "@sealway/ports"
import { type AuditAuthor, audited } from "@sealway/records"
import * as z from "zod"
import { changeByNews } from "../enrolments/apply-news.ts"
import { entryOf, type KeepingDependencies, requireEnrolled } from "../enrolments/keep-enrolled.ts"
import { pageEnrolled } from "../enrolments/page-enrolled.ts"
import type { AlertNetwork } from "../networks/messages/pre-chargeback-alerts.ts"
import { type Alert, type AlertAnswerInput, type AlertStatus, afterAnswer, alertAt } from "./alert.ts"
import { ALERTS } from "./alert-kind.ts"

const MAX_COMMENT_CHARACTERS = 500

const commentSchema = z.string().min(1).max(MAX_COMMENT_CHARACTERS).exactOptional()

export const alertAnswerSchema = z
  .discriminatedUnion("outcome", [
    z.strictObject({
      outcome: z.literal("refunded").describe("In full"),
      refundedAmount: moneySchema.exactOptional().describe("The transaction's amount"),
      comment: commentSchema,
    }),
    z.strictObject({
      outcome: z.literal("partially-refunded"),
      refundedAmount: moneySchema.describe(
        "In the transaction's currency; more than 0, less than its amount",
      ),
      comment: commentSchema,
    }),
    z.strictObject({
      outcome: z.literal("not-found").describe("The merchant has no such transaction"),
      comment: commentSchema,
    }),
    z.strictObject({
      outcome: z.literal("declined").describe("The merchant does not refund"),
      comment: commentSchema,
    }),
  ])
  .meta({ id: "PreChargebackAlertAnswer" })

/** Returns the alert in its present state. @throws NotFoundError */
export async function requireAlert(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "wallClock">,
  app: App,
  id: string,
): Promise<Alert> {
  return alertAt(await requireEnrolled(ALERTS, dependencies, app, id), dependencies.wallClock())
}

export interface AlertFilter extends RecordPageRequest {
  /** Id. */
  readonly merchant?: string | undefined
  readonly network?: AlertNetwork | undefined
  readonly status?: AlertStatus | undefined
}

/** Lists alerts in their present state, newest first. */
export async function listAlerts(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "log" | "wallClock">,
  app: App,
  { merchant, network, status, ...page }: AlertFilter,
): Promise<FilteredPage<Alert>> {
  const nowMs = dependencies.wallClock()
  const { data, ...rest } = await pageEnrolled(ALERTS, dependencies, app, page, (alert) => {
    const { details } = alertAt(alert, nowMs)
    return (
      (merchant === undefined || details.merchantId === merchant) &&
      (network === undefined || details.network === network) &&
      (status === undefined || details.status === status)
    )
  })
  return { data: data.map((alert) => alertAt(alert, nowMs)), ...rest }
}

/**
 * Answers an alert. Of concurrent callers one succeeds; all others are refused.
 *
 * @throws NotFoundError, ConflictError when it is answered, has expired or was decided automatically
 * @throws InvalidRequestError when the refund cannot have that amount
 * @throws ApiError `service-unavailable` when the app has no network
 */
export async function answerAlert(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  answer: z.infer<typeof alertAnswerSchema>,
  author: AuditAuthor,
): Promise<Alert> {
  const { audit, wallClock } = dependencies
  withAnswer(await requireEnrolled(ALERTS, dependencies, app, id), answer, wallClock())
  await dependencies.requireCardNetwork(app)
  const entry = { ...entryOf(ALERTS, app, id, "update", author), details: { outcome: answer.outcome } }
  return audited(audit, entry, async () => {
    const answered = await changeByNews(ALERTS, app, id, dependencies, async (alert) =>
      withAnswer(alert, answer, wallClock()),
    )
    if (answered === null) throw new NotFoundError(ALERTS.title)
    return answered
  })
}

function withAnswer(alert: Alert, answer: z.infer<typeof alertAnswerSchema>, nowMs: number): Alert {
  const { comment = null, outcome } = answer
  const answered = afterAnswer(alert, { outcome, refundedAmount: refundOf(alert, answer), comment }, nowMs)
  if (answered === null) throw new ConflictError(whyFinal(alertAt(alert, nowMs)))
  // The amount is only checked for an alert that accepts an answer.
  refuseAmount(alert, answer)
  return answered
}

function refundOf(
  { details: { transaction } }: Alert,
  answer: z.infer<typeof alertAnswerSchema>,
): AlertAnswerInput["refundedAmount"] {
  switch (answer.outcome) {
    case "refunded":
      return transaction.amount
    case "partially-refunded":
      return answer.refundedAmount
    default:
      return null
  }
}

function refuseAmount({ details: { transaction } }: Alert, answer: z.infer<typeof alertAnswerSchema>): void {
  const { amount } = transaction
  if (answer.outcome === "refunded" && (answer.refundedAmount ?? amount) !== amount) {
    throw invalidField("/refundedAmount", "A full refund must have the transaction's amount.")
  }
  if (answer.outcome === "partially-refunded") {
    const { refundedAmount } = answer
    if (refundedAmount > 0 && refundedAmount < amount) return
    throw invalidField(
      "/refundedAmount",
      "A partial refund must be more than 0 and less than the transaction's amount.",
    )
  }
}

function whyFinal({ details: { status, respondBy } }: Alert): string {
  if (respondBy === null) return "The alert was decided automatically, by the merchant's refund rule."
  return status === "expired"
    ? "The alert has expired and can no longer be answered."
    : "The alert was already answered. The first answer is final."
}
