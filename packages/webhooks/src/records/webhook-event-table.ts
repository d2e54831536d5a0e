import {
  appPartition,
  eventKey,
  type Item,
  type Page,
  type PageRequest,
  pendingKey,
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
  sealedData: z.object({ keyVersion: z.number(), sealed: z.instanceof(Uint8Array) }).optional(),
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

export type WebhookEvent = z.infer<typeof eventSchema>
export type EventStatus = WebhookEvent["status"]

const PREFIX = "webhook-event#"
const FAILED_PREFIX = "webhook-event-failed#"

const failedKey = (appId: string, id: string) => ({ pk: appPartition(appId), sk: FAILED_PREFIX + id })

export const parseWebhookEvent = (item: Item): WebhookEvent => eventSchema.parse(item)

/** The event of an app; null when the app has none of this id, or no more. */
export async function findWebhookEvent(
  table: Table,
  appId: string,
  id: string,
): Promise<WebhookEvent | null> {
  const item = await table.get(eventKey(appId, id))
  return item && parseWebhookEvent(item)
}

/** False: there is one of this id. */
export function createWebhookEvent(table: Table, event: WebhookEvent): Promise<boolean> {
  return table.create(eventKey(event.appId, event.id), { ...event })
}

/** Writes an event over the revision that it was made from. False: that one was changed meanwhile. */
export function replaceWebhookEvent(table: Table, event: WebhookEvent): Promise<boolean> {
  return table.replace(eventKey(event.appId, event.id), { ...event }, event.revision)
}

/** Events of an app, newest first. @param request.after an id */
export function pageWebhookEvents(table: Table, appId: string, request: PageRequest): Promise<Page> {
  return pageUnder(table, appId, PREFIX, request)
}

/** Names of events of an app that have failed once, newest first: items with an `id`. @param request.after an id */
export function pageFailedEvents(table: Table, appId: string, request: PageRequest): Promise<Page> {
  return pageUnder(table, appId, FAILED_PREFIX, request)
}

function pageUnder(
  table: Table,
  appId: string,
  prefix: string,
  { limit, after }: PageRequest,
): Promise<Page> {
  return table.page(appPartition(appId), prefix, { limit, after: after && prefix + after })
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

/** Pending names of a partition of `PENDING_PARTITIONS`. */
export async function* pendingNames(
  table: Table,
  partition: string,
): AsyncGenerator<{ readonly id: string; readonly appId: string }> {
  let after: string | undefined
  do {
    const page: Page = await table.page(partition, "webhook_event_", { limit: 100, after })
    for (const item of page.items) yield { id: String(item.sk), appId: markerSchema.parse(item).appId }
    after = page.hasMore ? String(page.items.at(-1)?.sk) : undefined
  } while (after !== undefined)
}
