import { type Item, pagesOf, type RecordKey, type Table } from "@sealway/platform"
import * as z from "zod"

const SHARDS = 16
const PREFIX = "func_"
const PAGE = 100
/** Work is over long before. */
const KEPT_SECONDS = 30 * 24 * 60 * 60

/** Something that a worker is to do: it is done by looking at a record, and safe to do twice. */
export const workSchema = z.discriminatedUnion("kind", [
  /** A function is to become what its record says. */
  z.object({ kind: z.literal("function"), id: z.string(), appId: z.string(), functionName: z.string() }),
  /** A run is to be run, or its end to be told. */
  z.object({ kind: z.literal("run"), id: z.string(), appId: z.string(), functionId: z.string() }),
])

export type Work = z.infer<typeof workSchema>

const itemSchema = z.object({ work: workSchema, namedAt: z.number(), revision: z.number() })

/** Work that is named as not done, so that it is found again when its message is lost. */
export interface PendingWork {
  readonly work: Work
  /** Epoch milliseconds. */
  readonly namedAt: number
  readonly revision: number
}

/** The partitions that name pending work. */
export const PENDING_WORK_PARTITIONS: readonly string[] = Array.from(
  { length: SHARDS },
  (_, shard) => `function-pending#${shard}`,
)

const keyOf = (id: string): RecordKey => ({
  pk: `function-pending#${(id.codePointAt(id.length - 1) ?? 0) % SHARDS}`,
  sk: id,
})

/** @param revision of what there is to do: whoever has done an earlier one leaves the name alone */
export function namePending(table: Table, work: Work, nowMs: number, revision: number): Promise<void> {
  const expiresAt = Math.floor(nowMs / 1000) + KEPT_SECONDS
  return table.put(keyOf(work.id), { work, namedAt: nowMs, revision, expiresAt })
}

/** Null when the work is not named. */
export async function findPending(table: Table, id: string): Promise<PendingWork | null> {
  const item = await table.get(keyOf(id))
  return item && itemSchema.parse(item)
}

/** Leaves a name alone that was put there after the given one was read. */
export async function removePending(table: Table, named: PendingWork | null): Promise<void> {
  if (named !== null) await table.remove(keyOf(named.work.id), named.revision)
}

/** @throws ZodError when the item is none that `namePending` wrote */
export const readPendingWork = (item: Item): PendingWork => itemSchema.parse(item)

/** What a partition of `PENDING_WORK_PARTITIONS` names: to be read one by one, as one may not be readable. */
export async function* pendingWork(table: Table, partition: string): AsyncGenerator<Item> {
  for await (const items of pagesOf(table, partition, PREFIX, { limit: PAGE })) yield* items
}
