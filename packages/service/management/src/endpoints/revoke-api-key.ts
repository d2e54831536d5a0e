import { findAppOfTeam } from "@sealway/accounts"
import { endpoint, teamKey } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import { revokeApiKey } from "../accounts/api-keys.ts"
import type { ManagementDependencies } from "../dependencies.ts"
import { keyPathSchema } from "./parameters.ts"

export const revokeAppApiKey = endpoint({
  id: "revoke-api-key",
  method: "DELETE",
  path: "/apps/{app_id}/api-keys/{key_id}",
  tag: "API keys",
  summary: "Revoke an API key",
  description:
    "Permanent, and effective everywhere within 10 seconds. Client-side tokens that the key has issued stop working too. Revoking a key again changes nothing.",
  auth: [teamKey()],
  reveals: "nothing",
  writes: true,
  request: { path: keyPathSchema },
  status: 204,
  reply: { kind: "none", description: "The key is revoked" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/keys", "dynamodb:PutItem/keys", ...AUDIT_GRANTS],
  async answer({ principal: { team }, path, caller }, dependencies: ManagementDependencies) {
    const app = await findAppOfTeam(dependencies.directory, team.id, path.app_id)
    const owner = { teamId: team.id, appId: app.id }
    await revokeApiKey(dependencies, owner, path.key_id, authorOf(caller))
    return { body: null }
  },
})
