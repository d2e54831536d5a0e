import { pagesOf, type RecordOf, recordsOf, type Table } from "@sealway/ports"
import * as z from "zod"

const dueErasureSchema = z.object({
  /** Epoch milliseconds. */
  eraseAt: z.number(),
  teamId: z.string(),
  appId: z.string(),
  subjectId: z.string(),
  /** The name of the reference to remove, which the data subject itself forgets with its key. */
  reference: z.string(),
  revision: z.number(),
})

/** An erasure that is to be completed: written before it begins, removed when all of it is done. */
export type DueErasure = RecordOf<typeof dueErasureSchema>

const PARTITION = "data-subject-erasures-due"
const AT_ONCE = 100
const DIGITS = 15

const timeOf = (atMs: number) => String(atMs).padStart(DIGITS, "0")

const dueErasureRecords = recordsOf<DueErasure, "eraseAt" | "appId" | "subjectId">({
  prefix: "",
  schema: dueErasureSchema,
  nameOf: ({ eraseAt, appId, subjectId }) => `${timeOf(eraseAt)}#${appId}#${subjectId}`,
  partitionOf: () => PARTITION,
})

/** Notes that an erasure is to be completed. */
export async function noteErasure(table: Table, due: Omit<DueErasure, "revision">): Promise<void> {
  // If it is there already, a request that died has noted it.
  await dueErasureRecords.create(table, due.appId, { ...due, revision: 1 })
}

export async function removeErasure(table: Table, due: Omit<DueErasure, "revision">): Promise<void> {
  await dueErasureRecords.remove(table, due.appId, { ...due, revision: 1 })
}

/** Yields the erasures whose time has come, the latest first. */
export async function* listDueErasures(table: Table, nowMs: number): AsyncGenerator<DueErasure> {
  const request = { limit: AT_ONCE, after: timeOf(nowMs + 1) }
  for await (const page of pagesOf(table, PARTITION, "", request)) {
    for (const item of page) yield dueErasureRecords.read(item)
  }
}
