import { apiKey, listQuerySchema, listReplySchema, pageOf, readingEndpoint, replyOf } from "@sealway/http"
import type { PolicyDependencies } from "../dependencies.ts"
import { requireRole } from "../management/manage-roles.ts"
import { roleRecords } from "../records/data-role-table.ts"
import { rolePathSchema, roleSchema, showRole } from "./role-schema.ts"

export const listRoles = readingEndpoint({
  id: "list-data-roles",
  path: "/data-roles",
  tag: "Data policies",
  summary: "List the app's data roles",
  description: "Newest first, including archived roles.",
  auth: [apiKey("dataRole:list")],
  request: { query: listQuerySchema("role") },
  schema: listReplySchema(roleSchema, "DataRoleList"),
  reply: "A page of data roles",
  grants: ["dynamodb:Query/config"],
  async read({ principal: { app }, query }, { configTable }: PolicyDependencies) {
    return replyOf(pageOf(await roleRecords.list(configTable, app.id), query), showRole)
  },
})

export const getRole = readingEndpoint({
  id: "get-data-role",
  path: "/data-roles/{role_id}",
  tag: "Data policies",
  summary: "Get a data role",
  description: "By its id or its slug.",
  auth: [apiKey("dataRole:read")],
  request: { path: rolePathSchema },
  schema: roleSchema,
  reply: "The data role",
  errors: ["invalid-request", "not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/config"],
  async read({ principal: { app }, path }, dependencies: PolicyDependencies) {
    return showRole(await requireRole(dependencies, app, path.role_id))
  },
})
