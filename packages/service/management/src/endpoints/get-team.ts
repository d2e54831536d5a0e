import { readingEndpoint, teamKey } from "@sealway/http"
import type { ManagementDependencies } from "../dependencies.ts"
import { showTeam, teamSchema } from "./team-schema.ts"

export const getTeam = readingEndpoint({
  id: "get-team",
  path: "/team",
  tag: "Teams and apps",
  summary: "Get the team that the team key belongs to",
  description: "A team owns apps.",
  auth: [teamKey()],
  schema: teamSchema,
  reply: "The team",
  grants: [],
  read: ({ principal: { team } }, _dependencies: ManagementDependencies) => showTeam(team),
})
