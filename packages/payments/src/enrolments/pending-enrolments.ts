import type { Item, Page, RecordKey, Table } from "@sealway/platform"
import * as z from "zod"
import { ENROLLED_TYPES } from "./enrolled-table.ts"

/** A name whose record is not written by then is of a request that died: a repetition may come for a day. */
export const ABANDONED_MS = 25 * 60 * 60_000
const SHARDS = 16
const PAGE = 100

/** Which record a worker is to look at. It is safe to look twice. */
export const enrolmentWorkSchema = z.object({
  type: z.enum(ENROLLED_TYPES),
  appId: z.string(),
  id: z.string(),
})

export type EnrolmentWork = z.infer<typeof enrolmentWorkSchema>

const itemSchema = z.object({ work: enrolmentWorkSchema, namedAt: z.number(), revision: z.number() })

/** A record that is named as not settled, so that it is found again when its message is lost. */
export type PendingEnrolment = z.infer<typeof itemSchema>

/** The partitions that name such records. */
export const PENDING_ENROLMENT_PARTITIONS: readonly string[] = Array.from(
  { length: SHARDS },
  (_, shard) => `payments-pending#${shard}`,
)

const keyOf = (id: string): RecordKey => ({
  pk: `payments-pending#${(id.codePointAt(id.length - 1) ?? 0) % SHARDS}`,
  sk: id,
})

/**
 * Names a record before a write of it that leaves something to do.
 *
 * @param revision that the record is to have after that write. Whoever finds the record settled at an earlier one leaves
 * the name alone
 */
export function namePending(
  table: Table,
  work: EnrolmentWork,
  nowMs: number,
  revision: number,
): Promise<void> {
  return table.put(keyOf(work.id), { id: work.id, work, namedAt: nowMs, revision })
}

/** @throws ZodError when the item is none that `namePending` wrote */
export const readPending = (item: Item): PendingEnrolment => itemSchema.parse(item)

/** Null when the record is not named. */
export async function findPending(table: Table, id: string): Promise<PendingEnrolment | null> {
  const item = await table.get(keyOf(id))
  return item && readPending(item)
}

/** Leaves a name alone that was put there after the given one was read. */
export async function removePending(table: Table, { work, revision }: PendingEnrolment): Promise<void> {
  await table.remove(keyOf(work.id), revision)
}

/** What a partition of `PENDING_ENROLMENT_PARTITIONS` names: to be read one by one, as one may not be readable. */
export async function* pendingEnrolments(table: Table, partition: string): AsyncGenerator<Item> {
  let after: string | undefined
  do {
    const page: Page = await table.page(partition, "", { limit: PAGE, after })
    yield* page.items
    after = page.hasMore ? String(page.items.at(-1)?.sk) : undefined
  } while (after !== undefined)
}
