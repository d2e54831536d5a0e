import { findAppOfTeam } from "@sealway/accounts"
import { endpoint, teamKey } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { changeApiKey } from "../accounts/api-keys.ts"
import type { ManagementDependencies } from "../dependencies.ts"
import { listedKeySchema, scopesSchema, showKey } from "./api-key-schema.ts"
import { limitsInputSchema } from "./limits-schema.ts"
import { keyPathSchema, MAX_PARAMETER_BYTES } from "./parameters.ts"

export const narrowApiKey = endpoint({
  id: "narrow-api-key",
  method: "PATCH",
  path: "/apps/{app_id}/api-keys/{key_id}",
  tag: "API keys",
  summary: "Change an API key: remove scopes, or set its limits",
  description:
    "Give `scopes`, `limits` or both. `scopes` lists the scopes that the key keeps. A scope that the key does not have is refused: to grant more, issue another key. Inherited scopes in the list count as chosen from then on; the others are removed. The change takes effect everywhere within 10 seconds, also for tokens that the key has issued.",
  auth: [teamKey()],
  reveals: "nothing",
  writes: true,
  request: {
    path: keyPathSchema,
    body: {
      kind: "object",
      schema: z
        .strictObject({ scopes: scopesSchema.exactOptional(), limits: limitsInputSchema.exactOptional() })
        .refine((body) => Object.keys(body).length > 0, "At least one field is required"),
      maxBytes: MAX_PARAMETER_BYTES,
    },
  },
  status: 200,
  reply: { kind: "object", schema: listedKeySchema, description: "The key" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/keys", "dynamodb:PutItem/keys", "dynamodb:GetItem/events", ...AUDIT_GRANTS],
  async answer({ principal: { team }, path, body, caller }, dependencies: ManagementDependencies) {
    const app = await findAppOfTeam(dependencies.directory, team.id, path.app_id)
    const owner = { teamId: team.id, appId: app.id }
    const changed = await changeApiKey(dependencies, owner, path.key_id, body, authorOf(caller))
    return { body: await showKey(changed, dependencies.apiKeyUses) }
  },
})
