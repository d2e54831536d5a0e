import type { App } from "@sealway/accounts"
import type { AuditAuthor } from "@sealway/records"
import { changeEnrolled, deleteEnrolled } from "../enrolments/change-enrolled.ts"
import {
  addEnrolled,
  type KeepingDependencies,
  listEnrolled,
  requireEnrolled,
} from "../enrolments/keep-enrolled.ts"
import { type Acquirer, type AcquirerDetails, newAcquirer, withAcquirerDetails } from "./acquirer.ts"
import { ACQUIRERS } from "./acquirer-kind.ts"
import { findDefaultAcquirer, setDefaultAcquirer } from "./default-acquirer.ts"

/** The maximum number of acquirers of an app. */
export const MAX_ACQUIRERS = 100

/** An acquirer, and the id of the app's default one. */
export interface AcquirerAndDefault {
  readonly acquirer: Acquirer
  readonly defaultId: string | null
}

/**
 * Creates an acquirer.
 *
 * @param isDefault true: makes it the default. Otherwise it only becomes the default when there is none
 * @throws ConflictError when the app has 100 acquirers, ApiError `service-unavailable` when it has no network
 */
export async function addAcquirer(
  dependencies: KeepingDependencies,
  app: App,
  details: AcquirerDetails,
  isDefault: boolean,
  author: AuditAuthor,
): Promise<AcquirerAndDefault> {
  const { paymentsTable, draws, wallClock } = dependencies
  const nowMs = wallClock()
  const made = newAcquirer(draws.newId("acquirer", nowMs), app.id, details, nowMs)
  const acquirer = await addEnrolled(ACQUIRERS, dependencies, app, made, MAX_ACQUIRERS, author)
  await setDefaultAcquirer(paymentsTable, app, acquirer.id, async (current) => {
    if (isDefault || current === null) return true
    const found = await ACQUIRERS.table.find(dependencies, app, current)
    return found === null || found.deletedAt !== null
  })
  return { acquirer, defaultId: await findDefaultAcquirer(paymentsTable, app) }
}

/** Finds an acquirer. @throws NotFoundError */
export async function requireAcquirer(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring">,
  app: App,
  id: string,
): Promise<AcquirerAndDefault> {
  const acquirer = await requireEnrolled(ACQUIRERS, dependencies, app, id)
  return { acquirer, defaultId: await findDefaultAcquirer(dependencies.paymentsTable, app) }
}

/** Lists acquirers, newest first. */
export async function listAcquirers(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "log">,
  app: App,
): Promise<{ readonly acquirers: readonly Acquirer[]; readonly defaultId: string | null }> {
  const acquirers = await listEnrolled(ACQUIRERS, dependencies, app)
  return { acquirers, defaultId: await findDefaultAcquirer(dependencies.paymentsTable, app) }
}

/**
 * Changes an acquirer.
 *
 * @param change returns the new details
 * @param fields the changed fields, for the audit log
 * @param isDefault undefined to keep the default
 * @throws NotFoundError, ConflictError when others keep changing it
 */
export async function changeAcquirer(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  change: (details: AcquirerDetails) => AcquirerDetails,
  fields: readonly string[],
  isDefault: boolean | undefined,
  author: AuditAuthor,
): Promise<AcquirerAndDefault> {
  const { paymentsTable, wallClock } = dependencies
  const changed = (before: Acquirer) => withAcquirerDetails(before, change(before.details), wallClock())
  const acquirer = await changeEnrolled(ACQUIRERS, dependencies, app, { id, change: changed, fields }, author)
  if (isDefault === true) await setDefaultAcquirer(paymentsTable, app, id)
  if (isDefault === false) await setDefaultAcquirer(paymentsTable, app, null, (current) => current === id)
  return { acquirer, defaultId: await findDefaultAcquirer(paymentsTable, app) }
}

/** Deletes an acquirer. @throws NotFoundError, ConflictError when others keep changing it */
export async function deleteAcquirer(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  await deleteEnrolled(ACQUIRERS, dependencies, app, id, author)
  await setDefaultAcquirer(dependencies.paymentsTable, app, null, (current) => current === id)
}
