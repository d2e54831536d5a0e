import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { WebhookDependencies } from "../dependencies.ts"
import { removeEndpoint } from "../management/webhook-endpoints.ts"
import { endpointPathSchema } from "./endpoint-schema.ts"

export const deleteEndpoint = endpoint({
  id: "delete-webhook-endpoint",
  method: "DELETE",
  path: "/webhook-endpoints/{webhook_endpoint_id}",
  tag: "Webhooks",
  summary: "Delete a webhook endpoint",
  description: "Pending deliveries to it are cancelled, and its secrets are deleted.",
  auth: [apiKey("webhookEndpoint:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: endpointPathSchema },
  status: 204,
  reply: { kind: "none", description: "The endpoint is deleted" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: WebhookDependencies) {
    await removeEndpoint(dependencies, app, path.webhook_endpoint_id, authorOf(caller))
    return { body: null }
  },
})
