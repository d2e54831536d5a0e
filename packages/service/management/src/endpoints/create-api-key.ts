import { findAppOfTeam } from "@sealway/accounts"
import { endpoint, teamKey } from "@sealway/http"
import { invalidField } from "@sealway/kernel"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { issueApiKey } from "../accounts/api-keys.ts"
import type { ManagementDependencies } from "../dependencies.ts"
import { expiresAtSchema, issuedKeySchema, scopesSchema, showIssued } from "./api-key-schema.ts"
import { limitsInputSchema } from "./limits-schema.ts"
import { appPathSchema, MAX_PARAMETER_BYTES, nameSchema } from "./parameters.ts"

export const createApiKey = endpoint({
  id: "create-api-key",
  method: "POST",
  path: "/apps/{app_id}/api-keys",
  tag: "API keys",
  summary: "Issue an API key of an app",
  description: "The key is shown only in this response: the service stores just its hash.",
  auth: [teamKey()],
  reveals: "secrets",
  writes: true,
  request: {
    path: appPathSchema,
    body: {
      kind: "object",
      schema: z.strictObject({
        name: nameSchema,
        scopes: scopesSchema,
        expiresAt: expiresAtSchema.default(null),
        limits: limitsInputSchema.exactOptional(),
      }),
      maxBytes: MAX_PARAMETER_BYTES,
    },
  },
  status: 201,
  reply: { kind: "object", schema: issuedKeySchema, description: "The key" },
  errors: ["not-found"],
  grants: ["dynamodb:PutItem/keys", ...AUDIT_GRANTS],
  async answer({ principal: { team }, path, body, caller }, dependencies: ManagementDependencies) {
    const app = await findAppOfTeam(dependencies.directory, team.id, path.app_id)
    if (body.expiresAt !== null && body.expiresAt <= dependencies.wallClock()) {
      throw invalidField("/expiresAt", "The time must be in the future.")
    }
    const wanted = { kind: app.environment, teamId: team.id, appId: app.id, ...body }
    return { body: showIssued(await issueApiKey(dependencies, wanted, authorOf(caller))) }
  },
})
