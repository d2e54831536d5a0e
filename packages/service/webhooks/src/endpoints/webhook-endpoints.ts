import {
  apiKey,
  deletingEndpoint,
  listQuerySchema,
  listReplySchema,
  pageOf,
  readingEndpoint,
  replyOf,
} from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { WebhookDependencies } from "../dependencies.ts"
import { removeEndpoint, requireEndpoint } from "../management/webhook-endpoints.ts"
import { endpointRecords } from "../records/webhook-endpoint-table.ts"
import { endpointPathSchema, endpointSchema, showEndpoint } from "./endpoint-schema.ts"

export const listEndpoints = readingEndpoint({
  id: "list-webhook-endpoints",
  path: "/webhook-endpoints",
  tag: "Webhooks",
  summary: "List the app's webhook endpoints",
  description: "Newest first, without their secrets.",
  auth: [apiKey("webhookEndpoint:list")],
  request: { query: listQuerySchema("webhook_endpoint") },
  schema: listReplySchema(endpointSchema, "WebhookEndpointList"),
  reply: "A page of endpoints",
  grants: ["dynamodb:Query/config"],
  async read({ principal: { app }, query }, { configTable }: WebhookDependencies) {
    return replyOf(pageOf(await endpointRecords.list(configTable, app.id), query), showEndpoint)
  },
})

export const getEndpoint = readingEndpoint({
  id: "get-webhook-endpoint",
  path: "/webhook-endpoints/{webhook_endpoint_id}",
  tag: "Webhooks",
  summary: "Get a webhook endpoint",
  description: "Without its secrets.",
  auth: [apiKey("webhookEndpoint:read")],
  request: { path: endpointPathSchema },
  schema: endpointSchema,
  reply: "The endpoint",
  grants: ["dynamodb:GetItem/config"],
  async read({ principal: { app }, path }, dependencies: WebhookDependencies) {
    return showEndpoint(await requireEndpoint(dependencies, app, path.webhook_endpoint_id))
  },
})

export const deleteEndpoint = deletingEndpoint({
  id: "delete-webhook-endpoint",
  path: "/webhook-endpoints/{webhook_endpoint_id}",
  tag: "Webhooks",
  summary: "Delete a webhook endpoint",
  description: "Pending deliveries to it are cancelled, and its secrets are deleted.",
  auth: [apiKey("webhookEndpoint:delete")],
  request: { path: endpointPathSchema },
  reply: "The endpoint is deleted",
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...AUDIT_GRANTS],
  async remove({ principal: { app }, path, caller }, dependencies: WebhookDependencies) {
    await removeEndpoint(dependencies, app, path.webhook_endpoint_id, authorOf(caller))
  },
})
