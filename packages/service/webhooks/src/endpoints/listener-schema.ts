import { idParameter } from "@sealway/http"
import * as z from "zod"
import type { FetchedEvents } from "../management/webhook-listeners.ts"
import { MAX_WAITING } from "../records/listener-inbox.ts"
import type { WebhookListener } from "../records/webhook-listener-table.ts"

export const listenerPathSchema = z.object({
  webhook_listener_id: idParameter("webhook_listener", "Id of the webhook listener"),
})

export const listenerSchema = z
  .object({
    id: z.string(),
    events: z.array(z.string()),
    createdAt: z.int().describe("Epoch milliseconds"),
    expiresAt: z.int().describe("Epoch milliseconds. Fetching events extends it"),
  })
  .meta({ id: "WebhookListener" })

export const fetchedEventsSchema = z
  .object({
    data: z
      .array(
        z.object({
          id: z.string(),
          type: z.string(),
          createdAt: z.int().describe("Epoch milliseconds"),
          data: z.unknown().describe("The event's payload"),
        }),
      )
      .describe("In the order in which they were published"),
    hasMore: z.boolean().describe("Whether more events wait"),
    hasDropped: z
      .boolean()
      .describe(
        `Whether events were dropped since the previous call because ${MAX_WAITING} were waiting. Dropped events are never returned`,
      ),
  })
  .meta({ id: "FetchedWebhookEvents" })

export function showListener({ id, events, createdAt, listensUntil }: WebhookListener) {
  return { id, events: [...events], createdAt, expiresAt: listensUntil }
}

export function showFetched({ events, hasMore, hasDropped }: FetchedEvents) {
  const data = events.map(({ id, type, createdAt, data: json }) => {
    const told: unknown = JSON.parse(json)
    return { id, type, createdAt, data: told }
  })
  return { data, hasMore, hasDropped }
}
