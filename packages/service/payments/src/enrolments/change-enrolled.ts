import type { App } from "@sealway/accounts"
import { ConflictError } from "@sealway/kernel"
import { type AuditAuthor, audited } from "@sealway/records"
import { type EnrolledKind, workOf } from "./enrolled-kind.ts"
import { dueAtOf, type EnrolledRecord, withdrawEnrolment } from "./enrolled-record.ts"
import type { EnrolmentDecision } from "./enrolment.ts"
import {
  askedAtOnce,
  changedMeanwhile,
  entryOf,
  type KeepingDependencies,
  requireEnrolled,
  wakeWorker,
} from "./keep-enrolled.ts"
import { namePending } from "./pending-enrolments.ts"
import { untilWritten } from "./until-written.ts"

/**
 * The maximum number of enrolments of one record, including withdrawals that a network does not know yet. More than a
 * record requests at once, and few enough for one item of the table, whatever their names.
 */
const MAX_ENROLMENTS = 250

/** A change of a record by a caller. */
export interface EnrolledChange<Details> {
  readonly id: string
  /**
   * Returns the changed record, or the same object for no change. Called again when a worker or another caller has
   * changed the record meanwhile, so it must check what the caller relies on.
   */
  readonly change: (record: EnrolledRecord<Details>) => EnrolledRecord<Details>
  /** The changed fields, for the audit log. */
  readonly fields: readonly string[]
}

/**
 * Changes a record, and has its networks asked.
 *
 * @throws NotFoundError
 * @throws ConflictError when others keep changing it, or too many earlier changes are still to be sent to networks
 */
export async function changeEnrolled<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  dependencies: KeepingDependencies,
  app: App,
  { id, change, fields }: EnrolledChange<Details>,
  author: AuditAuthor,
): Promise<EnrolledRecord<Details>> {
  const prepare = async () => {
    const found = await requireEnrolled(kind, dependencies, app, id)
    const changed = change(found)
    return { found, changed: changed === found ? found : await asked(kind, dependencies, app, changed) }
  }
  // A refused change is not in the audit log.
  let prepared = await prepare()
  if (prepared.changed === prepared.found) return prepared.found
  const entry = { ...entryOf(kind, app, id, "update", author), details: { fields: fields.join(" ") } }
  return audited(dependencies.audit, entry, () =>
    untilWritten(async (isRepetition) => {
      if (isRepetition) prepared = await prepare()
      const { found, changed } = prepared
      return changed === found ? found : write(kind, dependencies, app, changed)
    }),
  )
}

async function asked<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  dependencies: KeepingDependencies,
  app: App,
  changed: EnrolledRecord<Details>,
): Promise<EnrolledRecord<Details>> {
  const updated = { ...changed, updatedAt: dependencies.wallClock() }
  if (hasToAsk(updated)) await dependencies.requireCardNetwork(app)
  const record = await askedAtOnce(kind, dependencies, app, updated)
  if (record.enrolments.length > MAX_ENROLMENTS) {
    throw new ConflictError("The card networks have not accepted earlier changes yet. Try again later.")
  }
  return record
}

/**
 * Deletes a record. It is immediately gone for all callers; it is stored until the networks know.
 *
 * @param confirm called once it is gone for all callers; if it throws, the record is restored
 * @throws NotFoundError
 * @throws ConflictError when others keep changing it
 */
export async function deleteEnrolled<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
  confirm?: () => Promise<void>,
): Promise<void> {
  const prepare = async () => {
    const found = await requireEnrolled(kind, dependencies, app, id)
    const nowMs = dependencies.wallClock()
    const withdrawn = found.enrolments.reduce(
      (current, { name }) => withdrawEnrolment(current, name, nowMs),
      found,
    )
    const deleted = { ...withdrawn, deletedAt: nowMs }
    return { found, deleted: await askedAtOnce(kind, dependencies, app, deleted) }
  }
  let prepared = await prepare()
  await audited(dependencies.audit, entryOf(kind, app, id, "delete", author), () =>
    untilWritten(async (isRepetition) => {
      if (isRepetition) prepared = await prepare()
      const { found, deleted } = prepared
      // An unpublished event goes out first.
      const isKept = hasToAsk(deleted) || deleted.untold !== null
      if (isKept || kind.release !== undefined || confirm !== undefined) {
        await write(kind, dependencies, app, deleted, async () => {
          try {
            await confirm?.()
          } catch (error) {
            await restore(kind, dependencies, app, found)
            throw error
          }
        })
      } else if (!(await kind.table.remove(dependencies, found))) throw changedMeanwhile(kind)
    }),
  )
}

/** Restores a record that was deleted a moment ago. A worker may have published its event since. */
function restore<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  dependencies: KeepingDependencies,
  app: App,
  found: EnrolledRecord<Details>,
): Promise<unknown> {
  return untilWritten(async () => {
    const current = await kind.table.find(dependencies, app, found.id)
    if (current === null) return
    const { untold, revision } = current
    if ((await kind.table.replace(dependencies, app, { ...found, untold, revision })) === null) {
      throw changedMeanwhile(kind)
    }
  })
}

async function write<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  dependencies: KeepingDependencies,
  app: App,
  record: EnrolledRecord<Details>,
  beforeWork?: () => Promise<void>,
): Promise<EnrolledRecord<Details>> {
  if (dueAtOf(record) !== null) {
    const work = workOf(kind, app, record.id)
    await namePending(dependencies.paymentsTable, work, dependencies.wallClock(), record.revision + 1)
  }
  const replaced = await kind.table.replace(dependencies, app, record)
  if (replaced === null) throw changedMeanwhile(kind)
  await beforeWork?.()
  await wakeWorker(kind, dependencies, app, replaced)
  return replaced
}

function hasToAsk({ enrolments }: EnrolledRecord<unknown>): boolean {
  return enrolments.some(({ checkAt }) => checkAt !== null)
}
