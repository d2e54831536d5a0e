import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { WebhookDependencies } from "../dependencies.ts"
import { replayEvent } from "../events/replay-event.ts"
import { MAX_PARAMETER_BYTES } from "./endpoint-schema.ts"
import { eventPathSchema, eventSchema, showEvent } from "./event-schema.ts"

const requestSchema = z.strictObject({
  endpoint: z
    .string()
    .nullable()
    .default(null)
    .describe("Id of the only endpoint to send it to. Default: all endpoints that did not accept it"),
})

export const replayWebhookEvent = endpoint({
  id: "replay-webhook-event",
  method: "POST",
  path: "/webhook-events/{webhook_event_id}/replay",
  tag: "Webhooks",
  summary: "Replay a webhook event",
  description:
    "Sends the event again, with the same `webhook-id` and a new count of attempts: to every enabled endpoint where it failed, or to one endpoint whatever its state there.",
  auth: [apiKey("webhookEvent:replay")],
  reveals: "nothing",
  writes: true,
  request: {
    path: eventPathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_PARAMETER_BYTES },
  },
  status: 202,
  reply: { kind: "object", schema: eventSchema, description: "The event" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:GetItem/events", "dynamodb:Query/events", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, body, caller }, dependencies: WebhookDependencies) {
    const id = path.webhook_event_id
    const event = await replayEvent(dependencies, app, id, body.endpoint, authorOf(caller))
    return { body: showEvent(event) }
  },
})
