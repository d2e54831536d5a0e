import { apiKey, endpoint, listQuerySchema, listReplySchema, pageOf, replyOf } from "@sealway/http"
import type { WebhookDependencies } from "../dependencies.ts"
import { endpointRecords } from "../records/webhook-endpoint-table.ts"
import { endpointSchema, showEndpoint } from "./endpoint-schema.ts"

export const listEndpoints = endpoint({
  id: "list-webhook-endpoints",
  method: "GET",
  path: "/webhook-endpoints",
  tag: "Webhooks",
  summary: "List the app's webhook endpoints",
  description: "Newest first, without their secrets.",
  auth: [apiKey("webhookEndpoint:list")],
  reveals: "nothing",
  request: { query: listQuerySchema("webhook_endpoint") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(endpointSchema, "WebhookEndpointList"),
    description: "A page of endpoints",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/config"],
  async answer({ principal: { app }, query }, { configTable }: WebhookDependencies) {
    return { body: replyOf(pageOf(await endpointRecords.list(configTable, app.id), query), showEndpoint) }
  },
})
