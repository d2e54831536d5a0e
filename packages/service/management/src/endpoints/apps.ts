import { findApp, findAppOfTeam, pageApps } from "@sealway/accounts"
import { listQuerySchema, listReplySchema, readingEndpoint, replyOf, teamKey } from "@sealway/http"
import type { ManagementDependencies } from "../dependencies.ts"
import { appSchema, showApp } from "./app-schema.ts"
import { appPathSchema } from "./parameters.ts"

export const listApps = readingEndpoint({
  id: "list-apps",
  path: "/apps",
  tag: "Teams and apps",
  summary: "List the team's apps",
  description: "Newest first.",
  auth: [teamKey()],
  request: { query: listQuerySchema("app") },
  schema: listReplySchema(appSchema, "AppList"),
  reply: "A page of apps",
  grants: ["dynamodb:Query/config"],
  async read({ principal: { team }, query }, { configTable }: ManagementDependencies) {
    return replyOf(await pageApps(configTable, team.id, query), showApp)
  },
})

export const getApp = readingEndpoint({
  id: "get-app",
  path: "/apps/{app_id}",
  tag: "Teams and apps",
  summary: "Get an app",
  description: "Returns 404 for an app of another team.",
  auth: [teamKey()],
  request: { path: appPathSchema },
  schema: appSchema,
  reply: "The app",
  grants: [],
  async read({ principal: { team }, path }, { configTable }: ManagementDependencies) {
    const stored = { app: (id: string) => findApp(configTable, id) }
    return showApp(await findAppOfTeam(stored, team.id, path.app_id))
  },
})
