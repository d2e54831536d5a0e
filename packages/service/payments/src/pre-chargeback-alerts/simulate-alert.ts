import { currencySchema, moneySchema } from "@sealway/bins"
import { ConflictError } from "@sealway/kernel"
import { audited, authorOf } from "@sealway/records"
import * as z from "zod"
import type { CardDataSender } from "../card-number-of.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { findEnrolment } from "../enrolments/enrolled-record.ts"
import { askedAtOnce, entryOf } from "../enrolments/keep-enrolled.ts"
import { requireMerchant } from "../merchants/manage-merchants.ts"
import { ETHOCA, type Merchant, VERIFI } from "../merchants/merchant.ts"
import type { AlertNetwork, NetworkAlert } from "../networks/messages/pre-chargeback-alerts.ts"
import { sandboxAlert } from "../networks/sandbox/sandbox-alerts.ts"
import { requireSandbox } from "../simulation.ts"
import type { Alert } from "./alert.ts"
import { ALERTS } from "./alert-kind.ts"
import { alertOf, keepAlert, withCreatedEvent } from "./keep-alert.ts"
import { alertNetworkSchema, alertTypeSchema } from "./show-alert.ts"

const DEFAULT_AMOUNT = 1_000
const DEFAULT_CURRENCY = "usd"

export const alertSimulationSchema = z
  .strictObject({
    merchant: z.string().max(64).describe("Id of the merchant"),
    network: alertNetworkSchema,
    type: alertTypeSchema.exactOptional().describe("Default: dispute"),
    amount: moneySchema.exactOptional().describe(`Default: ${DEFAULT_AMOUNT}`),
    currency: currencySchema
      .exactOptional()
      .describe(
        `ISO 4217, in either case. Default: the currency of the merchant's refund rule, or ${DEFAULT_CURRENCY}`,
      ),
  })
  .meta({ id: "PreChargebackAlertSimulation" })

/**
 * Simulates a dispute that a network reports to a sandbox app.
 *
 * @throws ForbiddenError for a production app, NotFoundError for a merchant that the app does not have, ConflictError
 * for one that is not enrolled for alerts of the network
 */
export async function simulateAlert(
  dependencies: PaymentDependencies,
  { principal: { app }, caller }: CardDataSender,
  input: z.infer<typeof alertSimulationSchema>,
): Promise<Alert> {
  const { audit, draws, wallClock } = dependencies
  requireSandbox(app)
  const merchant = await requireMerchant(dependencies, app, input.merchant)
  requireEnrolledFor(merchant, input.network)
  const nowMs = wallClock()
  const id = draws.newId("chargeback_alert", nowMs)
  const decided = alertOf(id, merchant, alertToTell(id, merchant, input, nowMs), nowMs)
  const alert = withCreatedEvent(await askedAtOnce(ALERTS, dependencies, app, decided), dependencies)
  return audited(audit, entryOf(ALERTS, app, id, "simulate", authorOf(caller)), () =>
    keepAlert(dependencies, app, alert),
  )
}

function requireEnrolledFor(merchant: Merchant, network: AlertNetwork): void {
  const status = findEnrolment(merchant, network === "verifi" ? VERIFI : ETHOCA)?.status
  if (status === "active") return
  throw new ConflictError(
    `The merchant's enrolment for alerts of ${network} is not active. See the merchant's preChargebackAlerts for its state.`,
  )
}

function alertToTell(
  id: string,
  { id: merchantId, details }: Merchant,
  { network, type = "dispute", amount = DEFAULT_AMOUNT, currency }: z.infer<typeof alertSimulationSchema>,
  nowMs: number,
): NetworkAlert {
  const rule = network === "verifi" ? details.verifi.refundRule : null
  return sandboxAlert({
    id,
    network,
    type,
    merchantId,
    descriptor: details.name,
    nowMs,
    amount,
    currency: currency ?? rule?.currency ?? DEFAULT_CURRENCY,
  })
}
