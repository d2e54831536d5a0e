import { appPartition, type RecordKey, type Table } from "@sealway/ports"
import { LISTENED_SECONDS } from "@sealway/records"
import * as z from "zod"
import type { WebhookEvent } from "./webhook-event-table.ts"

/** How many events may wait for one listener. Further ones are dropped, and the listener is told so. */
export const MAX_WAITING = 500
const TIME_DIGITS = 15

/** Lists an event that waits for a listener. It holds no copy of the event. */
const itemSchema = z.object({ sk: z.string(), eventId: z.string().nullable(), revision: z.number() })

/** The events that wait for a listener. */
export interface Inbox {
  /** Oldest first. */
  readonly waiting: readonly { readonly key: RecordKey; readonly eventId: string }[]
  /** Marks that events were dropped; null when none were. */
  readonly droppedKey: RecordKey | null
}

const prefixOf = (listenerId: string) => `webhook-inbox#${listenerId}#`

/**
 * Events sort by their time of publishing, because the ids of some contain an earlier time. The same event always has
 * the same place.
 */
const placeOf = ({ createdAt, id }: WebhookEvent) => `${String(createdAt).padStart(TIME_DIGITS, "0")}#${id}`
const DROPPED = "dropped"

/** Puts an event into a listener's inbox. Repeating it changes nothing, unless the event was fetched in between. */
export async function putIntoInbox(table: Table, listenerId: string, event: WebhookEvent): Promise<void> {
  const pk = appPartition(event.appId)
  const expiresAt = Math.min(event.expiresAt, Math.floor(event.createdAt / 1000) + LISTENED_SECONDS)
  const prefix = prefixOf(listenerId)
  const { hasMore } = await table.page(pk, prefix, { limit: MAX_WAITING - 1 })
  const place = hasMore ? DROPPED : placeOf(event)
  await table.put({ pk, sk: prefix + place }, { eventId: hasMore ? null : event.id, expiresAt, revision: 1 })
}

export async function readInbox(table: Table, appId: string, listenerId: string): Promise<Inbox> {
  const pk = appPartition(appId)
  const items = (await table.list(pk, prefixOf(listenerId))).map((item) => itemSchema.parse(item))
  const dropped = items.find(({ eventId }) => eventId === null)
  return {
    waiting: items
      .toReversed()
      .flatMap(({ sk, eventId }) => (eventId === null ? [] : [{ key: { pk, sk }, eventId }])),
    droppedKey: dropped === undefined ? null : { pk, sk: dropped.sk },
  }
}

export async function removeFromInbox(table: Table, keys: readonly RecordKey[]): Promise<void> {
  await Promise.all(keys.map((key) => table.remove(key, 1)))
}
