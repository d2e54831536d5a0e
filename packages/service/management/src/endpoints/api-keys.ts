import { findAppOfTeam, pageApiKeys } from "@sealway/accounts"
import { listQuerySchema, listReplySchema, readingEndpoint, teamKey } from "@sealway/http"
import type { ManagementDependencies } from "../dependencies.ts"
import { listedKeySchema, showListed } from "./api-key-schema.ts"
import { appPathSchema } from "./parameters.ts"

export const listApiKeys = readingEndpoint({
  id: "list-api-keys",
  path: "/apps/{app_id}/api-keys",
  tag: "API keys",
  summary: "List the API keys of an app",
  description: "Newest first, including revoked and expired keys. The keys themselves are not shown.",
  auth: [teamKey()],
  request: { path: appPathSchema, query: listQuerySchema("key") },
  schema: listReplySchema(listedKeySchema, "ApiKeyList"),
  reply: "A page of keys",
  grants: ["dynamodb:GetItem/keys", "dynamodb:Query/keys", "dynamodb:GetItem/events"],
  async read({ principal: { team }, path, query }, dependencies: ManagementDependencies) {
    const { directory, keysTable, apiKeyUses } = dependencies
    const app = await findAppOfTeam(directory, team.id, path.app_id)
    const page = await pageApiKeys(keysTable, { teamId: team.id, appId: app.id }, query)
    return await showListed(page, apiKeyUses)
  },
})

export const listTeamKeys = readingEndpoint({
  id: "list-team-keys",
  path: "/team-keys",
  tag: "API keys",
  summary: "List the team keys",
  description: "Newest first, including revoked keys. The keys themselves are not shown.",
  auth: [teamKey()],
  request: { query: listQuerySchema("key") },
  schema: listReplySchema(listedKeySchema, "TeamKeyList"),
  reply: "A page of keys",
  grants: ["dynamodb:GetItem/keys", "dynamodb:Query/keys", "dynamodb:GetItem/events"],
  async read({ principal: { team }, query }, { keysTable, apiKeyUses }: ManagementDependencies) {
    const page = await pageApiKeys(keysTable, { teamId: team.id, appId: null }, query)
    return await showListed(page, apiKeyUses)
  },
})
