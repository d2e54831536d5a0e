import { apiKey, endpoint, listQuerySchema, listReplySchema } from "@sealway/http"
import * as z from "zod"
import type { WebhookDependencies } from "../dependencies.ts"
import { listEvents } from "../events/list-events.ts"
import { eventSchema, eventStatusSchema, showEvent } from "./event-schema.ts"

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

export const listWebhookEvents = endpoint({
  id: "list-webhook-events",
  method: "GET",
  path: "/webhook-events",
  tag: "Webhooks",
  summary: "List the app's webhook events",
  description:
    "Newest first, for 30 days. `status=failed` lists events that could not be delivered. One page searches at most 1,000 events. With a filter, a page can therefore be short or empty although more events follow: continue with `continueAfter`.",
  auth: [apiKey("webhookEvent:list")],
  reveals: "nothing",
  request: { query: querySchema },
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "A page of events" },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/events", "dynamodb:GetItem/events"],
  async answer({ principal: { app }, query }, dependencies: WebhookDependencies) {
    const { limit, startingAfter, ...filter } = query
    const page = await listEvents(dependencies, app.id, { limit, startingAfter }, filter)
    return { body: { ...page, data: page.data.map(showEvent) } }
  },
})
