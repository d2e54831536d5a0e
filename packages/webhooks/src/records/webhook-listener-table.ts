import { appPartition, type Item, type RecordKey, type Table } from "@sealway/platform"
import * as z from "zod"

const PREFIX = "webhook-listener#"

const itemSchema = z.object({
  id: z.string(),
  appId: z.string(),
  /** See `takesEvent`. */
  events: z.array(z.string()),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** Epoch milliseconds until which it takes events, unless it fetches some before. */
  listensUntil: z.number(),
  revision: z.number(),
})

/** Somebody who fetches events instead of being sent them, such as a developer's machine. */
export type WebhookListener = z.infer<typeof itemSchema>

const keyOf = (appId: string, id: string): RecordKey => ({ pk: appPartition(appId), sk: PREFIX + id })
const parse = (item: Item): WebhookListener => itemSchema.parse(item)

/** The listener of an app, also one whose time is over; null when there is none. */
export async function findWebhookListener(
  table: Table,
  appId: string,
  id: string,
): Promise<WebhookListener | null> {
  const item = await table.get(keyOf(appId, id))
  return item && parse(item)
}

/** All listeners of an app, also those whose time is over, newest first. */
export async function listWebhookListeners(table: Table, appId: string): Promise<readonly WebhookListener[]> {
  return (await table.list(appPartition(appId), PREFIX)).map(parse)
}

/** False: there is one of this id. */
export function createWebhookListener(table: Table, listener: WebhookListener): Promise<boolean> {
  return table.create(keyOf(listener.appId, listener.id), { ...listener })
}

/** Writes a listener over the revision that it was made from. False: that one was changed or removed meanwhile. */
export function replaceWebhookListener(table: Table, listener: WebhookListener): Promise<boolean> {
  return table.replace(keyOf(listener.appId, listener.id), { ...listener }, listener.revision)
}

/** False: it was changed or removed meanwhile. */
export function removeWebhookListener(table: Table, listener: WebhookListener): Promise<boolean> {
  return table.remove(keyOf(listener.appId, listener.id), listener.revision)
}
