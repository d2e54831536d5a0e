import { apiKey, endpoint } from "@sealway/http"
import type { HoneyDependencies } from "../dependencies.ts"
import { requireHoneyToken } from "../management/manage-honey-tokens.ts"
import { honeyTokenPathSchema, honeyTokenSchema, showHoneyToken } from "./honey-token-schema.ts"

export const getHoneyToken = endpoint({
  id: "get-honey-token",
  method: "GET",
  path: "/honey-tokens/{honey_token_id}",
  tag: "Honey Tokens",
  summary: "Get a honey token",
  description: "With its token, and when it was touched last.",
  auth: [apiKey("honeyToken:read")],
  reveals: "nothing",
  request: { path: honeyTokenPathSchema },
  status: 200,
  reply: { kind: "object", schema: honeyTokenSchema, description: "The honey token" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/events"],
  async answer({ principal: { app }, path }, dependencies: HoneyDependencies) {
    const honeyToken = await requireHoneyToken(dependencies, app, path.honey_token_id)
    return { body: await showHoneyToken(dependencies.eventsTable, app.id, honeyToken) }
  },
})
