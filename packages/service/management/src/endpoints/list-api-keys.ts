import { findAppOfTeam, pageApiKeys } from "@sealway/accounts"
import { endpoint, listQuerySchema, listReplySchema, teamKey } from "@sealway/http"
import type { ManagementDependencies } from "../dependencies.ts"
import { listedKeySchema, showListed } from "./api-key-schema.ts"
import { appPathSchema } from "./parameters.ts"

export const listApiKeys = endpoint({
  id: "list-api-keys",
  method: "GET",
  path: "/apps/{app_id}/api-keys",
  tag: "API keys",
  summary: "List the API keys of an app",
  description: "Newest first, including revoked and expired keys. The keys themselves are not shown.",
  auth: [teamKey()],
  reveals: "nothing",
  request: { path: appPathSchema, query: listQuerySchema("key") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(listedKeySchema, "ApiKeyList"),
    description: "A page of keys",
  },
  errors: ["invalid-request", "not-found"],
  grants: ["dynamodb:GetItem/keys", "dynamodb:Query/keys", "dynamodb:GetItem/events"],
  async answer({ principal: { team }, path, query }, dependencies: ManagementDependencies) {
    const { directory, keysTable, apiKeyUses } = dependencies
    const app = await findAppOfTeam(directory, team.id, path.app_id)
    const page = await pageApiKeys(keysTable, { teamId: team.id, appId: app.id }, query)
    return { body: await showListed(page, apiKeyUses) }
  },
})
