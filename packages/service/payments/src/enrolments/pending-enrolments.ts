import type { Item, Page, RecordKey, Table } from "@sealway/ports"
import * as z from "zod"
import { ENROLLED_TYPES } from "./enrolled-table.ts"

/** An entry whose record is not written by then belongs to a request that died: a repetition may come for a day. */
export const ABANDONED_MS = 25 * 60 * 60_000
const SHARDS = 16
const PAGE = 100

/** The record for a worker to look at. Looking twice is safe. */
export const enrolmentWorkSchema = z.object({
  type: z.enum(ENROLLED_TYPES),
  appId: z.string(),
  id: z.string(),
})

export type EnrolmentWork = z.infer<typeof enrolmentWorkSchema>

const itemSchema = z.object({ work: enrolmentWorkSchema, namedAt: z.number(), revision: z.number() })

/** A record that is listed as unsettled, so that it is found when its message is lost. */
export type PendingEnrolment = z.infer<typeof itemSchema>

/** The partitions that list such records. */
export const PENDING_ENROLMENT_PARTITIONS: readonly string[] = Array.from(
  { length: SHARDS },
  (_, shard) => `payments-pending#${shard}`,
)

const keyOf = (id: string): RecordKey => ({
  pk: `payments-pending#${(id.codePointAt(id.length - 1) ?? 0) % SHARDS}`,
  sk: id,
})

/**
 * Lists a record before a write that leaves something to do.
 *
 * @param revision the revision of the record after that write. A worker that finds the record settled at an earlier one
 * leaves the entry
 */
export function namePending(
  table: Table,
  work: EnrolmentWork,
  nowMs: number,
  revision: number,
): Promise<void> {
  return table.put(keyOf(work.id), { id: work.id, work, namedAt: nowMs, revision })
}

/** @throws ZodError when the item was not written by `namePending` */
export const readPending = (item: Item): PendingEnrolment => itemSchema.parse(item)

/** Returns null when the record is not listed. */
export async function findPending(table: Table, id: string): Promise<PendingEnrolment | null> {
  const item = await table.get(keyOf(id))
  return item && readPending(item)
}

/** Removes an entry, unless it was replaced after it was read. */
export async function removePending(table: Table, { work, revision }: PendingEnrolment): Promise<void> {
  await table.remove(keyOf(work.id), revision)
}

/**
 * Yields the entries of one of the `PENDING_ENROLMENT_PARTITIONS`. Parse them one by one, because any may be
 * unreadable.
 */
export async function* pendingEnrolments(table: Table, partition: string): AsyncGenerator<Item> {
  let after: string | undefined
  do {
    const page: Page = await table.page(partition, "", { limit: PAGE, after })
    yield* page.items
    after = page.hasMore ? String(page.items.at(-1)?.sk) : undefined
  } while (after !== undefined)
}
