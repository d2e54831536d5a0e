import { AUDIT_GRANTS, apiKey, authorOf, endpoint } from "@sealway/platform"
import { NAMED_EVENTS } from "@sealway/platform/event-types"
import * as z from "zod"
import type { WebhookDependencies } from "../dependencies.ts"
import { triggerEvent } from "../events/trigger-event.ts"
import { MAX_PARAMETER_BYTES } from "./endpoint-schema.ts"
import { eventSchema, showEvent } from "./event-schema.ts"

const requestSchema = z.strictObject({ type: z.enum(NAMED_EVENTS).describe("What kind of event to make up") })

export const triggerWebhookEvent = endpoint({
  id: "trigger-webhook-event",
  method: "POST",
  path: "/webhook-events",
  tag: "Webhooks",
  summary: "Trigger a test event",
  description:
    "Makes up an event of a type, with `test: true` in its data, and delivers it as any other to the endpoints and listeners that take the type. For sandbox apps only. What became of it is told by `GET /webhook-events/{webhook_event_id}`.",
  auth: [apiKey("webhookEvent:trigger")],
  writes: true,
  request: {
    path: z.object({}),
    headers: z.object({}),
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_PARAMETER_BYTES },
  },
  status: 202,
  reply: { kind: "object", schema: eventSchema, description: "The event" },
  errors: ["conflict"],
  grants: ["dynamodb:Query/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, body, caller }, dependencies: WebhookDependencies) {
    return { body: showEvent(await triggerEvent(dependencies, app, body.type, authorOf(caller))) }
  },
})
