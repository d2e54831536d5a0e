import {
  appPartition,
  type Item,
  pagesOf,
  pendingKey,
  type RecordOf,
  recordsOf,
  sealedShape,
  type Table,
} from "@sealway/platform"
import * as z from "zod"

/** An event that was accepted for delivery. `publish` of the platform's events makes it. */
const eventSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  appId: z.string(),
  type: z.string(),
  /** JSON; null where it is sealed. */
  data: z.string().nullable(),
  /** See `sealEventData`. */
  sealedData: z.object(sealedShape).optional(),
  /** Whether receivers are told something else for a while, see `BriefEventData`. */
  hasBrief: z.boolean().optional(),
  /** Where it goes besides the endpoints that take it; null for nowhere. */
  callbackUrl: z.string().nullable().default(null),
  /** Who else is told of it, each by a body of its own: JSON. See `EventRecipient`. */
  recipients: z.array(z.object({ id: z.string(), recordKey: z.string(), body: z.string() })).default([]),
  /** Whether endpoints that take its type are told. */
  toEndpoints: z.boolean().default(true),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** `failed` when at least one delivery has failed for good, `delivered` when all others have ended well. */
  status: z.enum(["pending", "delivered", "failed"]),
  /** True once it is written down which endpoints it goes to. */
  fannedOut: z.boolean().default(false),
  /** True once it has failed, whatever came of it later. */
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

/** `eventKey` of the platform's events is the same place. */
export const eventRecords = recordsOf<WebhookEvent, "id">({
  prefix: PREFIX,
  schema: eventSchema,
  nameOf: ({ id }) => id,
})

const failedKey = (appId: string, id: string) => ({ pk: appPartition(appId), sk: FAILED_PREFIX + id })

/**
 * An app's events, newest first.
 *
 * @param hasFailed whether to read only those that have failed once, which are found without reading others
 * @param startingAfter the id of the event that those to read follow; absent for all
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

/** Names a failed event, so that failed ones are found without reading all others. */
export function putFailedName(table: Table, { appId, id, expiresAt }: WebhookEvent): Promise<void> {
  return table.put(failedKey(appId, id), { id, expiresAt, revision: 1 })
}

export async function removeFailedName(table: Table, { appId, id }: WebhookEvent): Promise<void> {
  await table.remove(failedKey(appId, id), 1)
}

/** Names an event that is not delivered, so that it is found again after a crash. */
export function putPendingName(
  table: Table,
  { appId, id, expiresAt, revision }: WebhookEvent,
): Promise<void> {
  return table.put(pendingKey(id), { appId, expiresAt, revision })
}

/** The name's revision; null when the event is not named as pending. */
export async function findPendingName(table: Table, id: string): Promise<number | null> {
  const item = await table.get(pendingKey(id))
  return item && markerSchema.parse(item).revision
}

/** Leaves a name alone that was put there after the given revision was read. */
export async function removePendingName(table: Table, id: string, revision: number): Promise<void> {
  await table.remove(pendingKey(id), revision)
}

/** @throws ZodError when the item is none that `putPendingName` wrote */
export function readPendingName(item: Item): { readonly id: string; readonly appId: string } {
  return { id: String(item.sk), appId: markerSchema.parse(item).appId }
}

/** Pending names of a partition of `PENDING_PARTITIONS`: to be read one by one, as one may not be readable. */
export async function* pendingNames(table: Table, partition: string): AsyncGenerator<Item> {
  for await (const items of pagesOf(table, partition, "webhook_event_", { limit: ITEMS_PER_READ })) {
    yield* items
  }
}
