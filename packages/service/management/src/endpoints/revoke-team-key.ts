import { endpoint, idParameter, teamKey } from "@sealway/http"
import { ConflictError } from "@sealway/kernel"
import { TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { revokeApiKey } from "../accounts/api-keys.ts"
import type { ManagementDependencies } from "../dependencies.ts"

export const revokeTeamKey = endpoint({
  id: "revoke-team-key",
  method: "DELETE",
  path: "/team-keys/{key_id}",
  tag: "API keys",
  summary: "Revoke a team key",
  description:
    "Permanent, and effective everywhere within 10 seconds. A team key cannot revoke itself, so that one always remains.",
  auth: [teamKey("own")],
  reveals: "nothing",
  writes: true,
  request: { path: z.object({ key_id: idParameter("key", "Id of the key") }) },
  status: 204,
  reply: { kind: "none", description: "The key is revoked" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/keys", "dynamodb:PutItem/keys", ...TEAM_AUDIT_GRANTS],
  async answer({ principal: { team, apiKeyId }, path, caller }, dependencies: ManagementDependencies) {
    if (path.key_id === apiKeyId) {
      throw new ConflictError("A team key cannot revoke itself. Use another team key.")
    }
    const owner = { teamId: team.id, appId: null }
    await revokeApiKey(dependencies, owner, path.key_id, authorOf(caller))
    return { body: null }
  },
})
