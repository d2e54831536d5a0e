import { AUDIT_GRANTS, apiKey, authorOf, endpoint } from "@sealway/platform"
import * as z from "zod"
import type { PolicyDependencies } from "../dependencies.ts"
import { removeRole } from "../management/manage-roles.ts"
import { rolePathSchema, roleSchema, showRole } from "./role-schema.ts"

export const deleteRole = endpoint({
  id: "delete-data-role",
  method: "DELETE",
  path: "/data-roles/{role_id}",
  tag: "Data policies",
  summary: "Delete or archive a data role",
  description:
    "A role that was never used is deleted, once no policy is attached to it. One that was used is archived: values cannot be encrypted with it any more, those that have it follow its policies as before, and its slug stays taken.",
  auth: [apiKey("dataRole:delete")],
  writes: true,
  request: { path: rolePathSchema, headers: z.object({}), body: { kind: "none" } },
  status: 200,
  reply: {
    kind: "object",
    schema: z.object({
      outcome: z.enum(["deleted", "archived"]),
      dataRole: roleSchema.nullable().describe("The archived role; null for one that is deleted"),
    }),
    description: "What became of the role",
  },
  errors: ["invalid-request", "not-found", "conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, path, caller }, dependencies: PolicyDependencies) {
    const archived = await removeRole(dependencies, app, path.role_id, authorOf(caller))
    return archived === null
      ? { body: { outcome: "deleted" as const, dataRole: null } }
      : { body: { outcome: "archived" as const, dataRole: showRole(archived) } }
  },
})
