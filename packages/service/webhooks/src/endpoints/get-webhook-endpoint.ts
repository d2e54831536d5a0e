import { apiKey, endpoint } from "@sealway/http"
import type { WebhookDependencies } from "../dependencies.ts"
import { requireEndpoint } from "../management/webhook-endpoints.ts"
import { endpointPathSchema, endpointSchema, showEndpoint } from "./endpoint-schema.ts"

export const getEndpoint = endpoint({
  id: "get-webhook-endpoint",
  method: "GET",
  path: "/webhook-endpoints/{webhook_endpoint_id}",
  tag: "Webhooks",
  summary: "Get a webhook endpoint",
  description: "Without its secrets.",
  auth: [apiKey("webhookEndpoint:read")],
  reveals: "nothing",
  request: { path: endpointPathSchema },
  status: 200,
  reply: { kind: "object", schema: endpointSchema, description: "The endpoint" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config"],
  async answer({ principal: { app }, path }, dependencies: WebhookDependencies) {
    return { body: showEndpoint(await requireEndpoint(dependencies, app, path.webhook_endpoint_id)) }
  },
})
