import { findAppOfTeam, pageApiKeys } from "@sealway/accounts"
import {
  deletingEndpoint,
  idParameter,
  listQuerySchema,
  listReplySchema,
  readingEndpoint,
  teamKey,
} from "@sealway/http"
import { ConflictError } from "@sealway/kernel"
import { AUDIT_GRANTS, TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { revokeApiKey } from "../accounts/api-keys.ts"
import type { ManagementDependencies } from "../dependencies.ts"
import { listedKeySchema, showListed } from "./api-key-schema.ts"
import { appPathSchema, keyPathSchema } from "./parameters.ts"

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
    return showListed(page, apiKeyUses)
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
    return showListed(page, apiKeyUses)
  },
})

export const revokeAppApiKey = deletingEndpoint({
  id: "revoke-api-key",
  path: "/apps/{app_id}/api-keys/{key_id}",
  tag: "API keys",
  summary: "Revoke an API key",
  description:
    "Permanent, and effective everywhere within 10 seconds. Client-side tokens that the key has issued stop working too. Revoking a key again changes nothing.",
  auth: [teamKey()],
  request: { path: keyPathSchema },
  reply: "The key is revoked",
  grants: ["dynamodb:GetItem/keys", "dynamodb:PutItem/keys", ...AUDIT_GRANTS],
  async remove({ principal: { team }, path, caller }, dependencies: ManagementDependencies) {
    const app = await findAppOfTeam(dependencies.directory, team.id, path.app_id)
    const owner = { teamId: team.id, appId: app.id }
    await revokeApiKey(dependencies, owner, path.key_id, authorOf(caller))
  },
})

export const revokeTeamKey = deletingEndpoint({
  id: "revoke-team-key",
  path: "/team-keys/{key_id}",
  tag: "API keys",
  summary: "Revoke a team key",
  description:
    "Permanent, and effective everywhere within 10 seconds. A team key cannot revoke itself, so that one always remains.",
  auth: [teamKey("own")],
  request: { path: z.object({ key_id: idParameter("key", "Id of the key") }) },
  reply: "The key is revoked",
  grants: ["dynamodb:GetItem/keys", "dynamodb:PutItem/keys", ...TEAM_AUDIT_GRANTS],
  async remove({ principal: { team, apiKeyId }, path, caller }, dependencies: ManagementDependencies) {
    if (path.key_id === apiKeyId) {
      throw new ConflictError("A team key cannot revoke itself. Use another team key.")
    }
    const owner = { teamId: team.id, appId: null }
    await revokeApiKey(dependencies, owner, path.key_id, authorOf(caller))
  },
})
