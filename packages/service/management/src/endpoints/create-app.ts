import { endpoint, teamKey } from "@sealway/http"
import { KEY_CREATION_GRANTS, TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { createApp as create } from "../accounts/apps.ts"
import type { ManagementDependencies } from "../dependencies.ts"
import { appSchema, custodySchema, environmentSchema, showApp } from "./app-schema.ts"
import { MAX_PARAMETER_BYTES, nameSchema } from "./parameters.ts"

export const createApp = endpoint({
  id: "create-app",
  method: "POST",
  path: "/apps",
  tag: "Teams and apps",
  summary: "Create an app",
  description:
    "The app gets its first key version, but no API keys: `POST /apps/{app_id}/api-keys` issues them.",
  auth: [teamKey()],
  reveals: "nothing",
  writes: true,
  request: {
    body: {
      kind: "object",
      schema: z.strictObject({
        name: nameSchema,
        environment: environmentSchema,
        custody: custodySchema.exactOptional().describe("Default: `envelope`"),
      }),
      maxBytes: MAX_PARAMETER_BYTES,
    },
  },
  status: 201,
  reply: { kind: "object", schema: appSchema, description: "The app" },
  errors: [],
  grants: ["dynamodb:Query/config", "dynamodb:PutItem/config", ...KEY_CREATION_GRANTS, ...TEAM_AUDIT_GRANTS],
  async answer({ principal: { team }, body, caller }, dependencies: ManagementDependencies) {
    return { body: showApp(await create(dependencies, team.id, body, authorOf(caller))) }
  },
})
