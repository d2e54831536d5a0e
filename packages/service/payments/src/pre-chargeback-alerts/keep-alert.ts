import type { App } from "@sealway/accounts"
import type { EnrolmentDependencies } from "../enrolments/enrolled-kind.ts"
import { makeEnrolled, storedRecord, wakeWorker } from "../enrolments/keep-enrolled.ts"
import { untoldOf } from "../enrolments/tell-change.ts"
import type { Merchant, MerchantDetails } from "../merchants/merchant.ts"
import type { NetworkAlert } from "../networks/messages/pre-chargeback-alerts.ts"
import { type Alert, newDecidedAlert, newOpenAlert, RESPOND_MS } from "./alert.ts"
import { ALERTS, toldOfNewAlert } from "./alert-kind.ts"

/** Returns the alert that a network reports for a merchant, decided where the merchant's rule decides it. */
export function alertOf(id: string, merchant: Merchant, told: NetworkAlert, nowMs: number): Alert {
  const { merchant: _, respondBy = nowMs + RESPOND_MS, ...given } = told
  const alert = { ...given, merchantId: merchant.id }
  if (told.network === "ethoca") return newOpenAlert(id, merchant.appId, { ...alert, respondBy }, nowMs)
  const outcome = decideByRule(merchant.details.verifi, told.transaction)
  return newDecidedAlert(id, merchant.appId, alert, outcome, nowMs)
}

/** Returns the alert with the event that reports it. */
export function withCreatedEvent(
  alert: Alert,
  dependencies: Pick<EnrolmentDependencies, "paymentsTable" | "keyring" | "events" | "draws" | "wallClock">,
): Alert {
  return { ...alert, untold: untoldOf(toldOfNewAlert(alert), alert.createdAt, dependencies) }
}

/**
 * Stores an alert, and has its app notified and its network answered.
 *
 * @returns the alert as it is stored: an existing one with the same id stays unchanged
 */
export async function keepAlert(dependencies: EnrolmentDependencies, app: App, alert: Alert): Promise<Alert> {
  await makeEnrolled(ALERTS, dependencies, app, alert)
  await wakeWorker(ALERTS, dependencies, app, alert)
  return storedRecord(ALERTS, dependencies, app, alert)
}

/** An amount in the minor unit of its currency. */
interface Money {
  readonly amount: number
  /** ISO 4217, in lower case. */
  readonly currency: string
}

/**
 * Decides a dispute at once: refunds it up to the amount of the merchant's rule, always where there is no rule, and
 * declines it above that, in another currency, and for a merchant who has switched this off.
 */
function decideByRule(
  { isEnabled, refundRule }: MerchantDetails["verifi"],
  { amount, currency }: Money,
): "refunded" | "declined" {
  if (!isEnabled) return "declined"
  if (refundRule === null) return "refunded"
  return currency === refundRule.currency && amount <= refundRule.maximumAmount ? "refunded" : "declined"
}
