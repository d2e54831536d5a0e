import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import { NAMED_EVENTS } from "@sealway/records/event-types"
import * as z from "zod"
import type { WebhookDependencies } from "../dependencies.ts"
import { triggerEvent } from "../events/trigger-event.ts"
import { MAX_PARAMETER_BYTES } from "./endpoint-schema.ts"
import { eventSchema, showEvent } from "./event-schema.ts"

const requestSchema = z.strictObject({ type: z.enum(NAMED_EVENTS).describe("Type of the event to send") })

export const triggerWebhookEvent = endpoint({
  id: "trigger-webhook-event",
  method: "POST",
  path: "/webhook-events",
  tag: "Webhooks",
  summary: "Trigger a test event",
  description:
    "Creates a sample event of a type, with `test: true` in its data, and delivers it like any other to the endpoints and listeners that subscribe to the type. For sandbox apps only. `GET /webhook-events/{webhook_event_id}` shows the result.",
  auth: [apiKey("webhookEvent:trigger")],
  reveals: "nothing",
  writes: true,
  request: { body: { kind: "object", schema: requestSchema, maxBytes: MAX_PARAMETER_BYTES } },
  status: 202,
  reply: { kind: "object", schema: eventSchema, description: "The event" },
  errors: ["conflict"],
  grants: ["dynamodb:Query/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, body, caller }, dependencies: WebhookDependencies) {
    return { body: showEvent(await triggerEvent(dependencies, app, body.type, authorOf(caller))) }
  },
})
