import type { RecordPage, RecordPageRequest, Table } from "@sealway/ports"
import { type DataSubject, dataSubjectRecords, type Erasure, erasureRecords } from "./data-subject-table.ts"

interface SubjectTables {
  readonly configTable: Table
  /** The table of the ledger, see `erasureRecords`. */
  readonly eventsTable: Pick<Table, "get">
}

/** Returns a data subject as the ledger has it, even if its record was restored from an old backup. */
export async function findDataSubject(
  { configTable, eventsTable }: SubjectTables,
  appId: string,
  id: string,
): Promise<DataSubject | null> {
  const [subject, erasure] = await Promise.all([
    dataSubjectRecords.find(configTable, appId, { id }),
    erasureRecords.find(eventsTable, appId, { id }),
  ])
  return subject && withErasure(subject, erasure)
}

/** Returns a page of an app's data subjects, as the ledger has them. */
export async function pageDataSubjects(
  tables: SubjectTables,
  appId: string,
  request: RecordPageRequest,
): Promise<RecordPage<DataSubject>> {
  const { data, hasMore } = await dataSubjectRecords.page(tables.configTable, appId, request)
  const known = data.map(async (subject) =>
    withErasure(subject, await erasureRecords.find(tables.eventsTable, appId, subject)),
  )
  return { data: await Promise.all(known), hasMore }
}

function withErasure(subject: DataSubject, erasure: Erasure | null): DataSubject {
  if (erasure === null || subject.key === null) return subject
  const { changes, requestedAt, eraseAt, erasedAt } = erasure
  if (erasedAt !== null) return { ...subject, status: "erased", requestedAt, erasedAt }
  if (changes <= subject.changes) return subject
  return { ...subject, status: requestedAt === null ? "active" : "pending", changes, requestedAt, eraseAt }
}
