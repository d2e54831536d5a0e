import { apiKey, endpoint } from "@sealway/http"
import type { PolicyDependencies } from "../dependencies.ts"
import { requireRole } from "../management/manage-roles.ts"
import { rolePathSchema, roleSchema, showRole } from "./role-schema.ts"

export const getRole = endpoint({
  id: "get-data-role",
  method: "GET",
  path: "/data-roles/{role_id}",
  tag: "Data policies",
  summary: "Get a data role",
  description: "By its id or its slug.",
  auth: [apiKey("dataRole:read")],
  reveals: "nothing",
  request: { path: rolePathSchema },
  status: 200,
  reply: { kind: "object", schema: roleSchema, description: "The data role" },
  errors: ["invalid-request", "not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/config"],
  async answer({ principal: { app }, path }, dependencies: PolicyDependencies) {
    return { body: showRole(await requireRole(dependencies, app, path.role_id)) }
  },
})
