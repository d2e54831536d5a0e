import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { WebhookDependencies } from "../dependencies.ts"
import { sendTestEvent } from "../events/test-event.ts"
import { endpointPathSchema } from "./endpoint-schema.ts"
import { eventSchema, showEvent } from "./event-schema.ts"

export const testEndpoint = endpoint({
  id: "test-webhook-endpoint",
  method: "POST",
  path: "/webhook-endpoints/{webhook_endpoint_id}/test",
  tag: "Webhooks",
  summary: "Send a test event to a webhook endpoint",
  description:
    "Sends an event of type `webhook.test`, whatever events the endpoint subscribes to. `GET /webhook-events/{webhook_event_id}` shows the result.",
  auth: [apiKey("webhookEndpoint:test")],
  reveals: "nothing",
  writes: true,
  request: { path: endpointPathSchema },
  status: 202,
  reply: { kind: "object", schema: eventSchema, description: "The event" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: WebhookDependencies) {
    return {
      body: showEvent(await sendTestEvent(dependencies, app, path.webhook_endpoint_id, authorOf(caller))),
    }
  },
})
