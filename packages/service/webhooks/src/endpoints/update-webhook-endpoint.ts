import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { WebhookDependencies } from "../dependencies.ts"
import { eventPatternsSchema } from "../management/event-patterns.ts"
import { changeEndpoint } from "../management/webhook-endpoints.ts"
import {
  descriptionSchema,
  endpointPathSchema,
  endpointSchema,
  MAX_PARAMETER_BYTES,
  showEndpoint,
  statusSchema,
  urlSchema,
} from "./endpoint-schema.ts"

const requestSchema = z
  .strictObject({
    url: urlSchema.exactOptional(),
    events: eventPatternsSchema.exactOptional(),
    description: descriptionSchema.exactOptional(),
    status: statusSchema.exactOptional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, "At least one field is required")

export const updateEndpoint = endpoint({
  id: "update-webhook-endpoint",
  method: "PATCH",
  path: "/webhook-endpoints/{webhook_endpoint_id}",
  tag: "Webhooks",
  summary: "Change a webhook endpoint",
  description:
    "Fields that are not sent stay unchanged. Pending deliveries use the new URL from their next attempt on. Disabling the endpoint cancels its pending deliveries.",
  auth: [apiKey("webhookEndpoint:update")],
  reveals: "nothing",
  writes: true,
  request: {
    path: endpointPathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_PARAMETER_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: endpointSchema, description: "The endpoint" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:PutItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, body, caller }, dependencies: WebhookDependencies) {
    const id = path.webhook_endpoint_id
    return { body: showEndpoint(await changeEndpoint(dependencies, app, id, body, authorOf(caller))) }
  },
})
