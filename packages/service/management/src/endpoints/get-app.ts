import { findApp, findAppOfTeam } from "@sealway/accounts"
import { endpoint, teamKey } from "@sealway/http"
import type { ManagementDependencies } from "../dependencies.ts"
import { appSchema, showApp } from "./app-schema.ts"
import { appPathSchema } from "./parameters.ts"

export const getApp = endpoint({
  id: "get-app",
  method: "GET",
  path: "/apps/{app_id}",
  tag: "Teams and apps",
  summary: "Get an app",
  description: "Returns 404 for an app of another team.",
  auth: [teamKey()],
  reveals: "nothing",
  request: { path: appPathSchema },
  status: 200,
  reply: { kind: "object", schema: appSchema, description: "The app" },
  errors: ["not-found"],
  grants: [],
  async answer({ principal: { team }, path }, { configTable }: ManagementDependencies) {
    const stored = { app: (id: string) => findApp(configTable, id) }
    return { body: showApp(await findAppOfTeam(stored, team.id, path.app_id)) }
  },
})
