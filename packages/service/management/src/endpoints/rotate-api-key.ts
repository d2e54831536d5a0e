import { findAppOfTeam } from "@sealway/accounts"
import { endpoint, teamKey } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import { rotateApiKey } from "../accounts/api-keys.ts"
import type { ManagementDependencies } from "../dependencies.ts"
import { issuedKeySchema, overlapSchema, showIssued } from "./api-key-schema.ts"
import { keyPathSchema, MAX_PARAMETER_BYTES } from "./parameters.ts"

export const rotateAppApiKey = endpoint({
  id: "rotate-api-key",
  method: "POST",
  path: "/apps/{app_id}/api-keys/{key_id}/rotate",
  tag: "API keys",
  summary: "Replace an API key",
  description:
    "Issues a key with the same name, scopes and expiry. The old key expires at once or after the overlap.",
  auth: [teamKey()],
  reveals: "secrets",
  writes: true,
  request: {
    path: keyPathSchema,
    body: { kind: "object", schema: overlapSchema, maxBytes: MAX_PARAMETER_BYTES },
  },
  status: 201,
  reply: { kind: "object", schema: issuedKeySchema, description: "The new key" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/keys", "dynamodb:PutItem/keys", ...AUDIT_GRANTS],
  async answer({ principal: { team }, path, body, caller }, dependencies: ManagementDependencies) {
    const app = await findAppOfTeam(dependencies.directory, team.id, path.app_id)
    const owner = { teamId: team.id, appId: app.id }
    const overlapMs = body.overlapSeconds * 1000
    return {
      body: showIssued(await rotateApiKey(dependencies, owner, path.key_id, overlapMs, authorOf(caller))),
    }
  },
})
