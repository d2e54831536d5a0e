import { createHash } from "node:crypto"
import type { App } from "@sealway/accounts"
import { CURRENCIES } from "@sealway/bins"
import { invalidField, isId } from "@sealway/kernel"
import { appPartition, type RecordKey } from "@sealway/ports"
import { claimPlace } from "../claims.ts"
import type { EnrolmentDependencies } from "../enrolments/enrolled-kind.ts"
import type { Merchant } from "../merchants/merchant.ts"
import { MERCHANTS } from "../merchants/merchant-kind.ts"
import type { NetworkAlert } from "../networks/messages/pre-chargeback-alerts.ts"
import { ALERT_KEPT_MS } from "./alert.ts"
import { ALERTS } from "./alert-kind.ts"
import { alertOf, keepAlert, withCreatedEvent } from "./keep-alert.ts"

/** The longest time that a network may give for an answer. */
const MAX_RESPOND_MS = 90 * 24 * 60 * 60_000

/**
 * Receives an alert from a network, once: however often and by whatever message it comes, there is one record of it,
 * which stays unchanged.
 *
 * @throws InvalidRequestError when no merchant of the app has it, or its content is impossible
 */
export async function receiveAlert(
  app: App,
  told: NetworkAlert,
  dependencies: EnrolmentDependencies,
): Promise<void> {
  const { paymentsTable, draws, wallClock } = dependencies
  const nowMs = wallClock()
  refuseImpossible(told, nowMs)
  const merchant = await requireOwnMerchant(app, told, dependencies)
  const id = await claimPlace(paymentsTable, placeOf(app, told), {
    newId: draws.newId("chargeback_alert", nowMs),
    isFree: async () => false,
    expiresAt: Math.ceil((nowMs + ALERT_KEPT_MS) / 1000),
  })
  const known = await ALERTS.table.find(dependencies, app, id)
  // A known one may be known because an earlier call died before it woke a worker.
  await keepAlert(
    dependencies,
    app,
    known ?? withCreatedEvent(alertOf(id, merchant, told, nowMs), dependencies),
  )
}

function refuseImpossible({ transaction: { currency }, respondBy = 0 }: NetworkAlert, nowMs: number): void {
  if (!CURRENCIES.has(currency)) {
    throw invalidField("/alert/transaction/currency", "Not a valid ISO 4217 code.")
  }
  if (respondBy > nowMs + MAX_RESPOND_MS) {
    throw invalidField("/alert/respondBy", "The time must be within 90 days from now.")
  }
}

async function requireOwnMerchant(
  app: App,
  { merchant: { id } }: NetworkAlert,
  dependencies: EnrolmentDependencies,
): Promise<Merchant> {
  const found = isId("merchant", id) ? await MERCHANTS.table.find(dependencies, app, id) : null
  if (found === null || found.deletedAt !== null) {
    throw invalidField("/alert/merchant/id", "The app has no merchant with this id.")
  }
  return found
}

/** The network's reference comes from outside: only its hash is stored. */
function placeOf(app: App, { network, reference }: NetworkAlert): RecordKey {
  const hash = createHash("sha256").update(`${network}\0${reference}`).digest("base64url")
  return { pk: appPartition(app.id), sk: `chargeback-reference#${hash}` }
}
