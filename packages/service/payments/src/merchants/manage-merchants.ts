import type { App } from "@sealway/accounts"
import { NotFoundError } from "@sealway/kernel"
import type { AuditAuthor } from "@sealway/records"
import { changeEnrolled, deleteEnrolled } from "../enrolments/change-enrolled.ts"
import {
  addEnrolled,
  type KeepingDependencies,
  listEnrolled,
  requireEnrolled,
} from "../enrolments/keep-enrolled.ts"
import {
  type Merchant,
  type MerchantChanges,
  type MerchantDetails,
  newMerchant,
  withMerchantChanges,
} from "./merchant.ts"
import { MERCHANTS } from "./merchant-kind.ts"
import { holdMerchant, type MerchantUse, refuseUsedMerchant, releaseMerchant } from "./merchant-uses.ts"

/** The maximum number of merchants of an app. */
export const MAX_MERCHANTS = 1_000

/**
 * Creates a merchant.
 *
 * @throws ConflictError when the app has 1,000 merchants, ApiError `service-unavailable` when it has no network
 */
export function addMerchant(
  dependencies: KeepingDependencies,
  app: App,
  details: MerchantDetails,
  author: AuditAuthor,
): Promise<Merchant> {
  const nowMs = dependencies.wallClock()
  const merchant = newMerchant(dependencies.draws.newId("merchant", nowMs), app.id, details, nowMs)
  return addEnrolled(MERCHANTS, dependencies, app, merchant, MAX_MERCHANTS, author)
}

/** Finds a merchant. @throws NotFoundError */
export function requireMerchant(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring">,
  app: App,
  id: string,
): Promise<Merchant> {
  return requireEnrolled(MERCHANTS, dependencies, app, id)
}

/** Lists an app's merchants whose name contains a text, ignoring case, newest first. */
export async function findMerchants(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "log">,
  app: App,
  text: string,
): Promise<readonly Merchant[]> {
  const wanted = text.toLowerCase()
  const merchants = await listEnrolled(MERCHANTS, dependencies, app)
  return merchants.filter(({ details }) => details.name.toLowerCase().includes(wanted))
}

/**
 * Changes a merchant.
 *
 * @param check refuses the change of a merchant that is not as the caller relies on. Default: any may be changed
 * @throws NotFoundError, ConflictError when others keep changing it
 */
export function changeMerchant(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  changes: MerchantChanges,
  author: AuditAuthor,
  check: (merchant: Merchant) => void = () => {},
): Promise<Merchant> {
  const change = (merchant: Merchant) => {
    check(merchant)
    return withMerchantChanges(merchant, changes, dependencies.wallClock())
  }
  const fields = Object.keys(changes)
  return changeEnrolled(MERCHANTS, dependencies, app, { id, change, fields }, author)
}

/** Deletes a merchant. @throws NotFoundError, ConflictError while records need it, or others keep changing it */
export async function deleteMerchant(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  await requireMerchant(dependencies, app, id)
  const refuseUsed = () => refuseUsedMerchant(dependencies.paymentsTable, app, id, dependencies.wallClock())
  await refuseUsed()
  // Again once no record can start needing it: one may have started before.
  await deleteEnrolled(MERCHANTS, dependencies, app, id, author, refuseUsed)
}

/**
 * Marks a merchant as needed by a record that is about to be created: from then on the merchant cannot be deleted.
 *
 * @throws NotFoundError when it was deleted meanwhile; then nothing is marked
 */
export async function holdMerchantWhileThere(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring">,
  app: App,
  merchantId: string,
  use: MerchantUse,
): Promise<void> {
  const { paymentsTable } = dependencies
  await holdMerchant(paymentsTable, app, merchantId, use)
  try {
    await requireMerchant(dependencies, app, merchantId)
  } catch (error) {
    if (error instanceof NotFoundError) await releaseMerchant(paymentsTable, app.id, merchantId, use.id)
    throw error
  }
}
