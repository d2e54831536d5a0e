import { apiKey, listQuerySchema, listReplySchema, readingEndpoint } from "@sealway/http"
import * as z from "zod"
import type { WebhookDependencies } from "../dependencies.ts"
import { listEvents } from "../events/list-events.ts"
import { requireEvent } from "../events/replay-event.ts"
import { listDeliveries } from "../records/delivery-table.ts"
import {
  eventPathSchema,
  eventSchema,
  eventStatusSchema,
  eventWithDeliveriesSchema,
  showEvent,
  showWithDeliveries,
} from "./event-schema.ts"

const querySchema = listQuerySchema("webhook_event").extend({
  status: eventStatusSchema.optional(),
  type: z
    .stringFormat("type", /^[a-z0-9.-]{1,200}$/)
    .optional()
    .describe("Only events of this type"),
})

const replySchema = listReplySchema(eventSchema, "WebhookEventList")
  .extend({
    continueAfter: z
      .string()
      .nullable()
      .describe("The `startingAfter` of the next page; null on the last page"),
  })
  .meta({ id: "WebhookEventList" })

export const listWebhookEvents = readingEndpoint({
  id: "list-webhook-events",
  path: "/webhook-events",
  tag: "Webhooks",
  summary: "List the app's webhook events",
  description:
    "Newest first, for 30 days. `status=failed` lists events that could not be delivered. One page searches at most 1,000 events. With a filter, a page can therefore be short or empty although more events follow: continue with `continueAfter`.",
  auth: [apiKey("webhookEvent:list")],
  request: { query: querySchema },
  schema: replySchema,
  reply: "A page of events",
  grants: ["dynamodb:Query/events", "dynamodb:GetItem/events"],
  async read({ principal: { app }, query }, dependencies: WebhookDependencies) {
    const { limit, startingAfter, ...filter } = query
    const page = await listEvents(dependencies, app.id, { limit, startingAfter }, filter)
    return { ...page, data: page.data.map(showEvent) }
  },
})

export const getWebhookEvent = readingEndpoint({
  id: "get-webhook-event",
  path: "/webhook-events/{webhook_event_id}",
  tag: "Webhooks",
  summary: "Get a webhook event",
  description:
    "Includes its data and the state of its delivery to each endpoint. Of the receivers' responses only the status is kept.",
  auth: [apiKey("webhookEvent:read")],
  request: { path: eventPathSchema },
  schema: eventWithDeliveriesSchema,
  reply: "The event",
  grants: ["dynamodb:GetItem/events", "dynamodb:Query/events"],
  async read({ principal: { app }, path }, dependencies: WebhookDependencies) {
    const event = await requireEvent(dependencies, app, path.webhook_event_id)
    const deliveries = await listDeliveries(dependencies.eventsTable, app.id, event.id)
    return showWithDeliveries(event, deliveries)
  },
})
