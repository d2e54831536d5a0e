import { NotFoundError } from "@sealway/kernel"
import type { App, AuditAuthor } from "@sealway/platform"
import {
  addEnrolled,
  changeEnrolled,
  deleteEnrolled,
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

/** Changes a merchant. @throws NotFoundError, ConflictError when it is changed meanwhile */
export async function changeMerchant(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  changes: MerchantChanges,
  author: AuditAuthor,
): Promise<Merchant> {
  return changeFoundMerchant(dependencies, app, await requireMerchant(dependencies, app, id), changes, author)
}

/**
 * Changes a merchant as it was found.
 *
 * @throws ConflictError when it has changed since
 */
export function changeFoundMerchant(
  dependencies: KeepingDependencies,
  app: App,
  merchant: Merchant,
  changes: MerchantChanges,
  author: AuditAuthor,
): Promise<Merchant> {
  const changed = withMerchantChanges(merchant, changes, dependencies.wallClock())
  return changeEnrolled(MERCHANTS, dependencies, app, changed, Object.keys(changes), author)
}

/** Deletes a merchant. @throws NotFoundError, ConflictError while records need it, or when it is changed meanwhile */
export async function deleteMerchant(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const merchant = await requireMerchant(dependencies, app, id)
  const refuseUsed = () => refuseUsedMerchant(dependencies.paymentsTable, app, id, dependencies.wallClock())
  await refuseUsed()
  // Again once no record can start needing it: one may have started before.
  await deleteEnrolled(MERCHANTS, dependencies, app, merchant, author, refuseUsed)
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
