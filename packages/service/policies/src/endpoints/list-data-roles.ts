import { apiKey, endpoint, listQuerySchema, listReplySchema, pageOf, replyOf } from "@sealway/http"
import type { PolicyDependencies } from "../dependencies.ts"
import { roleRecords } from "../records/data-role-table.ts"
import { roleSchema, showRole } from "./role-schema.ts"

export const listRoles = endpoint({
  id: "list-data-roles",
  method: "GET",
  path: "/data-roles",
  tag: "Data policies",
  summary: "List the app's data roles",
  description: "Newest first, including archived roles.",
  auth: [apiKey("dataRole:list")],
  reveals: "nothing",
  request: { query: listQuerySchema("role") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(roleSchema, "DataRoleList"),
    description: "A page of data roles",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/config"],
  async answer({ principal: { app }, query }, { configTable }: PolicyDependencies) {
    return { body: replyOf(pageOf(await roleRecords.list(configTable, app.id), query), showRole) }
  },
})
