import { apiKey, deletingEndpoint, listQuerySchema, listReplySchema, readingEndpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { HoneyDependencies } from "../dependencies.ts"
import { removeHoneyToken, requireHoneyToken } from "../management/manage-honey-tokens.ts"
import { honeyTokenRecords } from "../records/honey-token-table.ts"
import { honeyTokenPathSchema, honeyTokenSchema, showHoneyToken } from "./honey-token-schema.ts"

export const listHoneyTokens = readingEndpoint({
  id: "list-honey-tokens",
  path: "/honey-tokens",
  tag: "Honey Tokens",
  summary: "List the app's honey tokens",
  description: "Newest first. `lastTouchedAt` says which of them somebody tried to decrypt.",
  auth: [apiKey("honeyToken:list")],
  request: { query: listQuerySchema("honey_token") },
  schema: listReplySchema(honeyTokenSchema, "HoneyTokenList"),
  reply: "A page of honey tokens",
  grants: ["dynamodb:Query/config", "dynamodb:Query/events"],
  async read({ principal: { app }, query }, { configTable, eventsTable }: HoneyDependencies) {
    const { data, hasMore } = await honeyTokenRecords.page(configTable, app.id, query)
    const shown = data.map((honeyToken) => showHoneyToken(eventsTable, app.id, honeyToken))
    return { data: await Promise.all(shown), hasMore }
  },
})

export const getHoneyToken = readingEndpoint({
  id: "get-honey-token",
  path: "/honey-tokens/{honey_token_id}",
  tag: "Honey Tokens",
  summary: "Get a honey token",
  description: "With its token, and when it was touched last.",
  auth: [apiKey("honeyToken:read")],
  request: { path: honeyTokenPathSchema },
  schema: honeyTokenSchema,
  reply: "The honey token",
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/events"],
  async read({ principal: { app }, path }, dependencies: HoneyDependencies) {
    const honeyToken = await requireHoneyToken(dependencies, app, path.honey_token_id)
    return await showHoneyToken(dependencies.eventsTable, app.id, honeyToken)
  },
})

export const deleteHoneyToken = deletingEndpoint({
  id: "delete-honey-token",
  path: "/honey-tokens/{honey_token_id}",
  tag: "Honey Tokens",
  summary: "Delete a honey token",
  description:
    "It still cannot be decrypted, wherever it was put. The audit log records attempts, but they raise no event any more, and its touches are no longer listed.",
  auth: [apiKey("honeyToken:delete")],
  request: { path: honeyTokenPathSchema },
  reply: "The honey token is deleted",
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...AUDIT_GRANTS],
  async remove({ principal: { app }, path, caller }, dependencies: HoneyDependencies) {
    await removeHoneyToken(dependencies, app, path.honey_token_id, authorOf(caller))
  },
})
