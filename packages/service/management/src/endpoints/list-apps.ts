import { pageApps } from "@sealway/accounts"
import { endpoint, listQuerySchema, listReplySchema, replyOf, teamKey } from "@sealway/http"
import type { ManagementDependencies } from "../dependencies.ts"
import { appSchema, showApp } from "./app-schema.ts"

export const listApps = endpoint({
  id: "list-apps",
  method: "GET",
  path: "/apps",
  tag: "Teams and apps",
  summary: "List the team's apps",
  description: "Newest first.",
  auth: [teamKey()],
  reveals: "nothing",
  request: { query: listQuerySchema("app") },
  status: 200,
  reply: { kind: "object", schema: listReplySchema(appSchema, "AppList"), description: "A page of apps" },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/config"],
  async answer({ principal: { team }, query }, { configTable }: ManagementDependencies) {
    return { body: replyOf(await pageApps(configTable, team.id, query), showApp) }
  },
})
