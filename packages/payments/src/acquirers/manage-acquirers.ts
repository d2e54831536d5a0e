import type { App, AuditAuthor } from "@sealway/platform"
import {
  addEnrolled,
  changeEnrolled,
  deleteEnrolled,
  type KeepingDependencies,
  listEnrolled,
  requireEnrolled,
} from "../enrolments/keep-enrolled.ts"
import { type Acquirer, type AcquirerDetails, newAcquirer, withAcquirerDetails } from "./acquirer.ts"
import { ACQUIRERS } from "./acquirer-kind.ts"
import { findDefaultAcquirer, setDefaultAcquirer } from "./default-acquirer.ts"

/** Acquirers of an app. */
export const MAX_ACQUIRERS = 100

/** An acquirer, and the id of its app's default one. */
export interface AcquirerAndDefault {
  readonly acquirer: Acquirer
  readonly defaultId: string | null
}

/**
 * @param isDefault true: it becomes the default. Otherwise it becomes so only where there is none
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

/** @throws NotFoundError */
export async function requireAcquirer(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring">,
  app: App,
  id: string,
): Promise<AcquirerAndDefault> {
  const acquirer = await requireEnrolled(ACQUIRERS, dependencies, app, id)
  return { acquirer, defaultId: await findDefaultAcquirer(dependencies.paymentsTable, app) }
}

/** Newest first. */
export async function listAcquirers(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "log">,
  app: App,
): Promise<{ readonly acquirers: readonly Acquirer[]; readonly defaultId: string | null }> {
  const acquirers = await listEnrolled(ACQUIRERS, dependencies, app)
  return { acquirers, defaultId: await findDefaultAcquirer(dependencies.paymentsTable, app) }
}

/**
 * @param change what the details become
 * @param fields that are named, for the audit log
 * @param isDefault undefined where the default stays as it is
 * @throws NotFoundError, ConflictError when it is changed meanwhile
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
  const before = await requireEnrolled(ACQUIRERS, dependencies, app, id)
  const changed = withAcquirerDetails(before, change(before.details), wallClock())
  const acquirer = await changeEnrolled(ACQUIRERS, dependencies, app, changed, fields, author)
  if (isDefault === true) await setDefaultAcquirer(paymentsTable, app, id)
  if (isDefault === false) await setDefaultAcquirer(paymentsTable, app, null, (current) => current === id)
  return { acquirer, defaultId: await findDefaultAcquirer(paymentsTable, app) }
}

/** @throws NotFoundError, ConflictError when it is changed meanwhile */
export async function deleteAcquirer(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const acquirer = await requireEnrolled(ACQUIRERS, dependencies, app, id)
  await deleteEnrolled(ACQUIRERS, dependencies, app, acquirer, author)
  await setDefaultAcquirer(dependencies.paymentsTable, app, null, (current) => current === id)
}
