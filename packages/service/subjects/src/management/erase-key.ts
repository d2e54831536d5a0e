import type { App } from "@sealway/accounts"
import { ConflictError } from "@sealway/kernel"
import { type DataSubject, dataSubjectRecords, referenceRecords } from "@sealway/keys"
import { type AuditAuthor, audited } from "@sealway/records"
import type { SubjectDependencies } from "../dependencies.ts"
import { type DueErasure, removeErasure } from "../records/due-erasure-table.ts"
import { writeErasure } from "../records/ledger.ts"

export type EraseDependencies = Pick<
  SubjectDependencies,
  "configTable" | "eventsTable" | "audit" | "wallClock"
>

/**
 * Destroys the key of a data subject for good, and then everything that leads to it. Repeated after a crash, it does the
 * rest. Each step only makes less readable, so that no order of them reveals anything:
 *
 * 1. the record of the data subject, without its key: from now on nothing can be undone
 * 2. the ledger, so that a restored record opens nothing
 * 3. the reference, so that nothing leads from the caller's id of the person to the data subject
 *
 * @throws ConflictError when another call has changed the data subject first
 */
export async function eraseKey(
  dependencies: EraseDependencies,
  subject: DataSubject,
  due: DueErasure,
  author: AuditAuthor,
): Promise<DataSubject> {
  const { configTable } = dependencies
  const { appId } = due
  const erased = subject.key === null ? subject : await destroyKey(dependencies, subject, due, author)
  await recordErasure(dependencies, appId, erased)
  const reference = await referenceRecords.find(configTable, appId, { name: due.reference })
  // Somebody may have created the data subject again, with another id.
  if (reference?.subjectId === erased.id) await referenceRecords.remove(configTable, appId, reference)
  await removeErasure(configTable, due)
  return erased
}

/** Writes into the ledger that the key of a data subject is destroyed, unless it says so. */
export async function recordErasure(
  { eventsTable, wallClock }: Pick<EraseDependencies, "eventsTable" | "wallClock">,
  appId: string,
  { id, changes, requestedAt, eraseAt, erasedAt }: DataSubject,
): Promise<void> {
  const at = erasedAt ?? wallClock()
  const entry = { id, changes, requestedAt: requestedAt ?? at, eraseAt, erasedAt: at }
  await writeErasure(eventsTable, appId, entry)
}

async function destroyKey(
  { configTable, audit, wallClock }: EraseDependencies,
  subject: DataSubject,
  { teamId, appId }: DueErasure,
  author: AuditAuthor,
): Promise<DataSubject> {
  const entry = entryOf({ id: appId, teamId }, subject, "erase", author)
  const details = { requestedAt: subject.requestedAt }
  return audited(audit, { ...entry, details }, async () => {
    const erased = await dataSubjectRecords.replace(configTable, appId, {
      ...subject,
      status: "erased",
      key: null,
      reference: null,
      erasedAt: wallClock(),
    })
    if (erased === null) throw changedMeanwhile()
    return erased
  })
}

export function changedMeanwhile(): ConflictError {
  return new ConflictError("Another request has changed this data subject. Try again.")
}

/** An entry of the audit log. It names a data subject by its id, which says nothing about the person. */
export function entryOf(
  { id: appId, teamId }: Pick<App, "id" | "teamId">,
  { id }: Pick<DataSubject, "id">,
  verb: "delete" | "erase" | "restore",
  author: AuditAuthor,
) {
  return { ...author, teamId, appId, action: `data-subject.${verb}`, target: { type: "data-subject", id } }
}
