import { apiKey, endpoint } from "@sealway/http"
import type { WebhookDependencies } from "../dependencies.ts"
import { requireEvent } from "../events/replay-event.ts"
import { listDeliveries } from "../records/delivery-table.ts"
import { eventPathSchema, eventWithDeliveriesSchema, showWithDeliveries } from "./event-schema.ts"

export const getWebhookEvent = endpoint({
  id: "get-webhook-event",
  method: "GET",
  path: "/webhook-events/{webhook_event_id}",
  tag: "Webhooks",
  summary: "Get a webhook event",
  description:
    "Includes its data and the state of its delivery to each endpoint. Of the receivers' responses only the status is kept.",
  auth: [apiKey("webhookEvent:read")],
  reveals: "nothing",
  request: { path: eventPathSchema },
  status: 200,
  reply: { kind: "object", schema: eventWithDeliveriesSchema, description: "The event" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/events", "dynamodb:Query/events"],
  async answer({ principal: { app }, path }, dependencies: WebhookDependencies) {
    const event = await requireEvent(dependencies, app, path.webhook_event_id)
    const deliveries = await listDeliveries(dependencies.eventsTable, app.id, event.id)
    return { body: showWithDeliveries(event, deliveries) }
  },
})
