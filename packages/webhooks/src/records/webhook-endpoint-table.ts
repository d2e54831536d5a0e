import { appPartition, type Item, type RecordKey, type Table } from "@sealway/platform"
import * as z from "zod"
import type { WebhookEndpoint } from "./webhook-endpoint.ts"

const PREFIX = "webhook-endpoint#"

const itemSchema = z.object({
  id: z.string(),
  appId: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string().nullable(),
  status: z.enum(["enabled", "disabled"]),
  secrets: z.array(
    z.object({
      keyVersion: z.int().positive(),
      sealed: z.instanceof(Uint8Array),
      expiresAt: z.number().nullable(),
    }),
  ),
  createdAt: z.number(),
  updatedAt: z.number(),
  revision: z.number(),
})

const keyOf = (appId: string, id: string): RecordKey => ({ pk: appPartition(appId), sk: PREFIX + id })

const parse = (item: Item): WebhookEndpoint => itemSchema.parse(item)

/** The endpoint of an app; null when the app has none of this id. */
export async function findWebhookEndpoint(
  table: Table,
  appId: string,
  id: string,
): Promise<WebhookEndpoint | null> {
  const item = await table.get(keyOf(appId, id))
  return item && parse(item)
}

/** All endpoints of an app, newest first. */
export async function listWebhookEndpoints(table: Table, appId: string): Promise<readonly WebhookEndpoint[]> {
  return (await table.list(appPartition(appId), PREFIX)).map(parse)
}

/** False: there is one of this id. */
export function createWebhookEndpoint(table: Table, endpoint: WebhookEndpoint): Promise<boolean> {
  return table.create(keyOf(endpoint.appId, endpoint.id), { ...endpoint })
}

/** Writes an endpoint over the revision that it was made from. False: that one was changed or removed meanwhile. */
export function replaceWebhookEndpoint(table: Table, endpoint: WebhookEndpoint): Promise<boolean> {
  return table.replace(keyOf(endpoint.appId, endpoint.id), { ...endpoint }, endpoint.revision)
}

/** False: it was changed or removed meanwhile. */
export function removeWebhookEndpoint(table: Table, endpoint: WebhookEndpoint): Promise<boolean> {
  return table.remove(keyOf(endpoint.appId, endpoint.id), endpoint.revision)
}
