import { sealedShape } from "@sealway/keys"
import { appPartition, type Item, pagesOf, type RecordOf, recordsOf, type Table } from "@sealway/ports"
import { pendingKey } from "@sealway/records"
import * as z from "zod"

/** An event that was accepted for delivery. `publish` of the platform's events creates it. */
const eventSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  appId: z.string(),
  type: z.string(),
  /** JSON; null when it is sealed. */
  data: z.string().nullable(),
  /** See `sealEventData`. */
  sealedData: z.object(sealedShape).optional(),
  /** Whether receivers get different data for a while, see `BriefEventData`. */
  hasBrief: z.boolean().optional(),
  /** Where it is delivered in addition to subscribed endpoints; null for nowhere. */
  callbackUrl: z.string().nullable().default(null),
  /** Further recipients, each with its own body as JSON. See `EventRecipient`. */
  recipients: z.array(z.object({ id: z.string(), recordKey: z.string(), body: z.string() })).default([]),
  /** Whether it is delivered to subscribed endpoints. */
  toEndpoints: z.boolean().default(true),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** `failed` when at least one delivery has failed permanently, `delivered` when all others have ended well. */
  status: z.enum(["pending", "delivered", "failed"]),
  /** True once its deliveries are recorded. */
  fannedOut: z.boolean().default(false),
  /** True once it has failed, whatever happened later. */
  hasFailed: z.boolean().default(false),
  /** Epoch seconds. */
  expiresAt: z.number(),
  revision: z.number(),
})
const markerSchema = z.object({ appId: z.string(), revision: z.number() })

export type WebhookEvent = RecordOf<typeof eventSchema>
export type EventStatus = WebhookEvent["status"]

const PREFIX = "webhook-event#"
const FAILED_PREFIX = "webhook-event-failed#"
const ITEMS_PER_READ = 100

/** `eventKey` of the platform's events is the same key. */
export const eventRecords = recordsOf<WebhookEvent, "id">({
  prefix: PREFIX,
  schema: eventSchema,
  nameOf: ({ id }) => id,
})

const failedKey = (appId: string, id: string) => ({ pk: appPartition(appId), sk: FAILED_PREFIX + id })

/**
 * Yields an app's events, newest first.
 *
 * @param hasFailed whether to read only those that have failed once, which are found without reading others
 * @param startingAfter the id of the event before the first one to read; absent for all
 */
export async function* readEvents(
  table: Table,
  appId: string,
  hasFailed: boolean,
  startingAfter: string | undefined,
): AsyncGenerator<WebhookEvent> {
  const prefix = hasFailed ? FAILED_PREFIX : PREFIX
  const request = { limit: ITEMS_PER_READ, after: startingAfter && prefix + startingAfter }
  for await (const items of pagesOf(table, appPartition(appId), prefix, request)) {
    const events = hasFailed
      ? await Promise.all(items.map(({ id }) => eventRecords.find(table, appId, { id: String(id) })))
      : items.map(eventRecords.read)
    for (const event of events) if (event !== null) yield event
  }
}

/** Lists an event as failed, so that it is found without reading all others. */
export function putFailedName(table: Table, { appId, id, expiresAt }: WebhookEvent): Promise<void> {
  return table.put(failedKey(appId, id), { id, expiresAt, revision: 1 })
}

export async function removeFailedName(table: Table, { appId, id }: WebhookEvent): Promise<void> {
  await table.remove(failedKey(appId, id), 1)
}

/** Lists an event as not delivered, so that it is found again after a crash. */
export function putPendingName(
  table: Table,
  { appId, id, expiresAt, revision }: WebhookEvent,
): Promise<void> {
  return table.put(pendingKey(id), { appId, expiresAt, revision })
}

/** Returns the entry's revision; null when the event is not listed as pending. */
export async function findPendingName(table: Table, id: string): Promise<number | null> {
  const item = await table.get(pendingKey(id))
  return item && markerSchema.parse(item).revision
}

/** Removes an entry, unless it was replaced after the given revision was read. */
export async function removePendingName(table: Table, id: string, revision: number): Promise<void> {
  await table.remove(pendingKey(id), revision)
}

/** @throws ZodError when the item was not written by `putPendingName` */
export function readPendingName(item: Item): { readonly id: string; readonly appId: string } {
  return { id: String(item.sk), appId: markerSchema.parse(item).appId }
}

/** Yields the entries of one of the `PENDING_PARTITIONS`. Parse them one by one, because any may be unreadable. */
export async function* pendingNames(table: Table, partition: string): AsyncGenerator<Item> {
  for await (const items of pagesOf(table, partition, "webhook_event_", { limit: ITEMS_PER_READ })) {
    yield* items
  }
}
