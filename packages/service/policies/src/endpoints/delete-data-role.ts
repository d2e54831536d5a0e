import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
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
    "A role that was never used is deleted if no policy is attached to it. A role that was used is archived: it can no longer encrypt values, existing values still follow its policies, and its slug stays taken.",
  auth: [apiKey("dataRole:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: rolePathSchema },
  status: 200,
  reply: {
    kind: "object",
    schema: z.object({
      outcome: z.enum(["deleted", "archived"]),
      dataRole: roleSchema.nullable().describe("The archived role; null if the role was deleted"),
    }),
    description: "Whether the role was deleted or archived",
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
