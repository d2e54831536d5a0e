import type { Page, QueueSender, RecordKey, Table } from "@sealway/ports"
import * as z from "zod"

const SHARDS = 16
const PAGE = 100

/** The session for a worker to look at. Looking twice is safe. */
export const sessionWorkSchema = z.object({
  type: z.literal("3ds-session"),
  appId: z.string(),
  id: z.string(),
})
export type SessionWork = z.infer<typeof sessionWorkSchema>

const itemSchema = z.object({ work: sessionWorkSchema, dueAt: z.number() })

/** A session that is listed as undecided or unpublished, so that it is found when its message is lost. */
export type PendingSession = z.infer<typeof itemSchema>

const PARTITIONS = Array.from({ length: SHARDS }, (_, shard) => `3ds-pending#${shard}`)

const keyOf = (id: string): RecordKey => ({
  pk: `3ds-pending#${(id.codePointAt(id.length - 1) ?? 0) % SHARDS}`,
  sk: id,
})

/** Lists a session before it is created. @param dueAt epoch milliseconds when it must be looked at */
export function namePendingSession(table: Table, work: SessionWork, dueAt: number): Promise<void> {
  return table.put(keyOf(work.id), { id: work.id, work, dueAt, revision: 1 })
}

/** Removes the entry: a session is decided and published once, and needs nothing after that. */
export async function removePendingSession(table: Table, id: string): Promise<void> {
  await table.remove(keyOf(id), 1)
}

/** Returns null when it is not listed. */
export async function findPendingSession(table: Table, id: string): Promise<PendingSession | null> {
  const item = await table.get(keyOf(id))
  return item && itemSchema.parse(item)
}

export async function* pendingSessions(table: Table): AsyncGenerator<PendingSession> {
  for (const partition of PARTITIONS) {
    let after: string | undefined
    do {
      const page: Page = await table.page(partition, "", { limit: PAGE, after })
      for (const item of page.items) yield itemSchema.parse(item)
      after = page.hasMore ? String(page.items.at(-1)?.sk) : undefined
    } while (after !== undefined)
  }
}

/** Asks a worker to look at a session. @param waitMs less than the longest that a message may wait */
export function sendSessionWork(queues: QueueSender, work: SessionWork, waitMs: number): Promise<void> {
  return queues.send("enrolments", work, { delaySeconds: Math.ceil(Math.max(waitMs, 0) / 1000) })
}
