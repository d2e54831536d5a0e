import { endpoint, teamKey } from "@sealway/http"
import { TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { issueApiKey } from "../accounts/api-keys.ts"
import type { ManagementDependencies } from "../dependencies.ts"
import { issuedKeySchema, showIssued } from "./api-key-schema.ts"
import { MAX_PARAMETER_BYTES, nameSchema } from "./parameters.ts"

export const createTeamKey = endpoint({
  id: "create-team-key",
  method: "POST",
  path: "/team-keys",
  tag: "API keys",
  summary: "Issue a team key",
  description: "To replace a team key, issue a new one, switch to it, and use it to revoke the old one.",
  auth: [teamKey("own")],
  reveals: "secrets",
  writes: true,
  request: {
    body: { kind: "object", schema: z.strictObject({ name: nameSchema }), maxBytes: MAX_PARAMETER_BYTES },
  },
  status: 201,
  reply: { kind: "object", schema: issuedKeySchema, description: "The key" },
  errors: [],
  grants: ["dynamodb:PutItem/keys", ...TEAM_AUDIT_GRANTS],
  async answer({ principal: { team }, body, caller }, dependencies: ManagementDependencies) {
    const wanted = {
      kind: "team",
      teamId: team.id,
      appId: null,
      name: body.name,
      scopes: [],
      expiresAt: null,
    } as const
    return { body: showIssued(await issueApiKey(dependencies, wanted, authorOf(caller))) }
  },
})
