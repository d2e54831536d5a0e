import { endpoint, teamKey } from "@sealway/http"
import type { ManagementDependencies } from "../dependencies.ts"
import { showTeam, teamSchema } from "./team-schema.ts"

export const getTeam = endpoint({
  id: "get-team",
  method: "GET",
  path: "/team",
  tag: "Teams and apps",
  summary: "Get the team that the team key belongs to",
  description: "A team owns apps.",
  auth: [teamKey()],
  reveals: "nothing",
  status: 200,
  reply: { kind: "object", schema: teamSchema, description: "The team" },
  errors: [],
  grants: [],
  answer: ({ principal: { team } }, _dependencies: ManagementDependencies) => ({ body: showTeam(team) }),
})
