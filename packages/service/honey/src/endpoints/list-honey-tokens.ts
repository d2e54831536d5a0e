import { apiKey, endpoint, listQuerySchema, listReplySchema } from "@sealway/http"
import type { HoneyDependencies } from "../dependencies.ts"
import { honeyTokenRecords } from "../records/honey-token-table.ts"
import { honeyTokenSchema, showHoneyToken } from "./honey-token-schema.ts"

export const listHoneyTokens = endpoint({
  id: "list-honey-tokens",
  method: "GET",
  path: "/honey-tokens",
  tag: "Honey Tokens",
  summary: "List the app's honey tokens",
  description: "Newest first. `lastTouchedAt` says which of them somebody tried to decrypt.",
  auth: [apiKey("honeyToken:list")],
  reveals: "nothing",
  request: { query: listQuerySchema("honey_token") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(honeyTokenSchema, "HoneyTokenList"),
    description: "A page of honey tokens",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/config", "dynamodb:Query/events"],
  async answer({ principal: { app }, query }, { configTable, eventsTable }: HoneyDependencies) {
    const { data, hasMore } = await honeyTokenRecords.page(configTable, app.id, query)
    const shown = data.map((honeyToken) => showHoneyToken(eventsTable, app.id, honeyToken))
    return { body: { data: await Promise.all(shown), hasMore } }
  },
})
