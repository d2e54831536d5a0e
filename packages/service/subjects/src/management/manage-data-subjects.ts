import { type App, erasureDaysOf, findApp } from "@sealway/accounts"
import { ConflictError, isId, NotFoundError } from "@sealway/kernel"
import { type DataSubject, dataSubjectRecords, findDataSubject } from "@sealway/keys"
import { type AuditAuthor, audited } from "@sealway/records"
import type { SubjectDependencies } from "../dependencies.ts"
import { type DueErasure, noteErasure } from "../records/due-erasure-table.ts"
import { writeErasure } from "../records/ledger.ts"
import { changedMeanwhile, entryOf, eraseKey, recordErasure } from "./erase-key.ts"

const DAY_MS = 86_400_000

/** Finds a data subject. @throws NotFoundError when the app has no such data subject */
export async function requireDataSubject(
  dependencies: Pick<SubjectDependencies, "configTable" | "eventsTable">,
  app: App,
  id: string,
): Promise<DataSubject> {
  const found = isId("data_subject", id) ? await findDataSubject(dependencies, app.id, id) : null
  if (found === null) throw new NotFoundError("The data subject")
  return found
}

/**
 * Begins to erase a data subject: its values do not open any more, and its key is destroyed when the app's undo window
 * ends, immediately if it has none. One that is being erased stays as it is; what a request that died has left is done. A
 * record that was restored from an old backup is erased again, without a window.
 *
 * @throws NotFoundError when the app has no such data subject, ConflictError when another call changes it first
 */
export async function deleteDataSubject(
  dependencies: SubjectDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<DataSubject> {
  const { configTable, eventsTable, audit, keyring, wallClock } = dependencies
  const subject = await requireDataSubject(dependencies, app, id)
  const isRestored = subject.status === "erased" && subject.key !== null
  if (subject.status === "pending") return resumeErasure(dependencies, app, subject, author)
  if (subject.status === "erased" && !isRestored) {
    // A request that died may not have come to it.
    await recordErasure(dependencies, app.id, subject)
    return subject
  }
  const requestedAt = wallClock()
  // Read again: a window that was set a second ago counts.
  const days = isRestored ? 0 : erasureDaysOf((await findApp(configTable, app.id)) ?? app)
  const eraseAt = requestedAt + days * DAY_MS
  const due = dueErasureOf(app, subject, eraseAt)
  const entry = { ...entryOf(app, subject, "delete", author), details: { eraseAt } }
  const pending = await audited(audit, entry, async () => {
    // First: an erasure that was begun is completed, whatever happens to this process.
    await noteErasure(configTable, due)
    const changes = subject.changes + 1
    const entry = { id, changes, requestedAt, eraseAt, erasedAt: null }
    // Before the record: it counts from now on. Without a window, only the end of the erasure is written.
    if (days > 0 && !(await writeErasure(eventsTable, app.id, entry))) throw changedMeanwhile()
    const replaced = await dataSubjectRecords.replace(configTable, app.id, {
      ...subject,
      status: "pending",
      requestedAt,
      eraseAt,
      changes,
    })
    if (replaced === null) throw changedMeanwhile()
    return replaced
  })
  keyring.subjects.forget(app.id, id)
  return eraseAt <= requestedAt ? eraseKey(dependencies, pending, due, author) : pending
}

async function resumeErasure(
  dependencies: SubjectDependencies,
  app: App,
  subject: DataSubject,
  author: AuditAuthor,
): Promise<DataSubject> {
  const now = dependencies.wallClock()
  const due = dueErasureOf(app, subject, subject.eraseAt ?? now)
  await noteErasure(dependencies.configTable, due)
  // Whoever began an erasure without a window may have a clock that is ahead of this one.
  const hasWindow = subject.requestedAt === null || due.eraseAt > subject.requestedAt
  return due.eraseAt <= now || !hasWindow ? eraseKey(dependencies, subject, due, author) : subject
}

function dueErasureOf(app: App, { id, reference }: DataSubject, eraseAt: number): DueErasure {
  const owner = { teamId: app.teamId, appId: app.id }
  return { ...owner, eraseAt, subjectId: id, reference: reference ?? "", revision: 1 }
}

/**
 * Undoes an erasure whose window has not ended. An active data subject stays as it is.
 *
 * @throws NotFoundError when the app has no such data subject, ConflictError when it is erased, or another call changes
 * it first
 */
export async function restoreDataSubject(
  dependencies: SubjectDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<DataSubject> {
  const { configTable, eventsTable, audit, keyring, wallClock } = dependencies
  const subject = await requireDataSubject(dependencies, app, id)
  if (subject.status === "active") return subject
  const isOver = subject.eraseAt === null || subject.eraseAt <= wallClock()
  if (subject.status === "erased" || isOver) {
    throw new ConflictError("The undo window has ended: the data subject is erased.")
  }
  const restored = await audited(audit, entryOf(app, subject, "restore", author), async () => {
    const undone = { requestedAt: null, eraseAt: null, changes: subject.changes + 1 }
    if (!(await writeErasure(eventsTable, app.id, { id, ...undone, erasedAt: null })))
      throw changedMeanwhile()
    const replaced = await dataSubjectRecords.replace(configTable, app.id, {
      ...subject,
      status: "active",
      ...undone,
    })
    if (replaced === null) throw changedMeanwhile()
    return replaced
  })
  keyring.subjects.forget(app.id, id)
  return restored
}
