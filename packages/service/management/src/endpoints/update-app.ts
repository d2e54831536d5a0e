import { endpoint, teamKey } from "@sealway/http"
import { AUDIT_GRANTS, KEY_CREATION_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { allowedOriginsSchema } from "../accounts/allowed-origins.ts"
import { updateApp as update } from "../accounts/apps.ts"
import type { ManagementDependencies } from "../dependencies.ts"
import {
  appSchema,
  cardInsightsSchema,
  custodySchema,
  erasureDaysSchema,
  sealingSchema,
  showApp,
  statusSchema,
} from "./app-schema.ts"
import { limitsInputSchema } from "./limits-schema.ts"
import { appPathSchema, MAX_PARAMETER_BYTES, nameSchema } from "./parameters.ts"

export const updateApp = endpoint({
  id: "update-app",
  method: "PATCH",
  path: "/apps/{app_id}",
  tag: "Teams and apps",
  summary: "Change an app",
  description:
    "Within 10 seconds, every process refuses the credentials of a disabled app. Its values can be decrypted again once it is enabled. `allowedOrigins` replaces the previous list. `sealing` applies to new values, everywhere within 10 seconds. A different `custody` adds a key version; older ones stay as they are. `custody: hsm` and `sealing: symmetric` exclude each other. `limits` are for all keys and tokens of the app together; they apply everywhere within 10 seconds.",
  auth: [teamKey()],
  reveals: "nothing",
  writes: true,
  request: {
    path: appPathSchema,
    body: {
      kind: "object",
      schema: z.strictObject({
        name: nameSchema.exactOptional(),
        status: statusSchema.exactOptional(),
        allowedOrigins: allowedOriginsSchema.exactOptional(),
        cardInsights: cardInsightsSchema.exactOptional(),
        sealing: sealingSchema.exactOptional(),
        custody: custodySchema.exactOptional(),
        erasureDays: erasureDaysSchema.exactOptional(),
        limits: limitsInputSchema.exactOptional(),
      }),
      maxBytes: MAX_PARAMETER_BYTES,
    },
  },
  status: 200,
  reply: { kind: "object", schema: appSchema, description: "The app" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:PutItem/config", ...KEY_CREATION_GRANTS, ...AUDIT_GRANTS],
  async answer({ principal: { team }, path, body, caller }, dependencies: ManagementDependencies) {
    return { body: showApp(await update(dependencies, team.id, path.app_id, body, authorOf(caller))) }
  },
})
