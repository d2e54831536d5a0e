import { endpoint, teamKey } from "@sealway/http"
import { TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { renameTeam } from "../accounts/teams.ts"
import type { ManagementDependencies } from "../dependencies.ts"
import { MAX_PARAMETER_BYTES, nameSchema } from "./parameters.ts"
import { showTeam, teamSchema } from "./team-schema.ts"

export const updateTeam = endpoint({
  id: "update-team",
  method: "PATCH",
  path: "/team",
  tag: "Teams and apps",
  summary: "Rename the team",
  description: "The new name appears everywhere within 10 seconds.",
  auth: [teamKey()],
  reveals: "nothing",
  writes: true,
  request: {
    body: { kind: "object", schema: z.strictObject({ name: nameSchema }), maxBytes: MAX_PARAMETER_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: teamSchema, description: "The team" },
  errors: ["conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:PutItem/config", ...TEAM_AUDIT_GRANTS],
  async answer({ principal: { team }, body, caller }, dependencies: ManagementDependencies) {
    return { body: showTeam(await renameTeam(dependencies, team.id, body.name, authorOf(caller))) }
  },
})
