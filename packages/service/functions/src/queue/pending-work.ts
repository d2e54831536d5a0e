import { type Item, pagesOf, type RecordKey, type Table } from "@sealway/ports"
import * as z from "zod"

const SHARDS = 16
const PREFIX = "func_"
const PAGE = 100
/** Work is finished long before. */
const KEPT_SECONDS = 30 * 24 * 60 * 60

/** Work for a worker: it starts from a record and is safe to do twice. */
export const workSchema = z.discriminatedUnion("kind", [
  /** A function must become what its record says. */
  z.object({ kind: z.literal("function"), id: z.string(), appId: z.string(), functionName: z.string() }),
  /** A run must be executed, or its end reported. */
  z.object({ kind: z.literal("run"), id: z.string(), appId: z.string(), functionId: z.string() }),
])

export type Work = z.infer<typeof workSchema>

const itemSchema = z.object({ work: workSchema, namedAt: z.number(), revision: z.number() })

/** Work that is listed as unfinished, so that it can be found when its message is lost. */
export interface PendingWork {
  readonly work: Work
  /** Epoch milliseconds. */
  readonly namedAt: number
  readonly revision: number
}

/** The partitions that list pending work. */
export const PENDING_WORK_PARTITIONS: readonly string[] = Array.from(
  { length: SHARDS },
  (_, shard) => `function-pending#${shard}`,
)

const keyOf = (id: string): RecordKey => ({
  pk: `function-pending#${(id.codePointAt(id.length - 1) ?? 0) % SHARDS}`,
  sk: id,
})

/**
 * Lists work as pending.
 *
 * @param revision the revision of the work: finishing an earlier one leaves the entry in place
 */
export function namePending(table: Table, work: Work, nowMs: number, revision: number): Promise<void> {
  const expiresAt = Math.floor(nowMs / 1000) + KEPT_SECONDS
  return table.put(keyOf(work.id), { work, namedAt: nowMs, revision, expiresAt })
}

/** Returns null when the work is not listed. */
export async function findPending(table: Table, id: string): Promise<PendingWork | null> {
  const item = await table.get(keyOf(id))
  return item && itemSchema.parse(item)
}

/** Removes an entry, unless it was replaced after it was read. */
export async function removePending(table: Table, named: PendingWork | null): Promise<void> {
  if (named !== null) await table.remove(keyOf(named.work.id), named.revision)
}

/** @throws ZodError when the item was not written by `namePending` */
export const readPendingWork = (item: Item): PendingWork => itemSchema.parse(item)

/** Yields the entries of one of the `PENDING_WORK_PARTITIONS`. Parse them one by one, because any may be unreadable. */
export async function* pendingWork(table: Table, partition: string): AsyncGenerator<Item> {
  for await (const items of pagesOf(table, partition, PREFIX, { limit: PAGE })) yield* items
}
