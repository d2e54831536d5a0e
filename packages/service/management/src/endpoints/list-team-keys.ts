import { pageApiKeys } from "@sealway/accounts"
import { endpoint, listQuerySchema, listReplySchema, teamKey } from "@sealway/http"
import type { ManagementDependencies } from "../dependencies.ts"
import { listedKeySchema, showListed } from "./api-key-schema.ts"

export const listTeamKeys = endpoint({
  id: "list-team-keys",
  method: "GET",
  path: "/team-keys",
  tag: "API keys",
  summary: "List the team keys",
  description: "Newest first, including revoked keys. The keys themselves are not shown.",
  auth: [teamKey()],
  reveals: "nothing",
  request: { query: listQuerySchema("key") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(listedKeySchema, "TeamKeyList"),
    description: "A page of keys",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:GetItem/keys", "dynamodb:Query/keys", "dynamodb:GetItem/events"],
  async answer({ principal: { team }, query }, { keysTable, apiKeyUses }: ManagementDependencies) {
    const page = await pageApiKeys(keysTable, { teamId: team.id, appId: null }, query)
    return { body: await showListed(page, apiKeyUses) }
  },
})
