import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { PolicyDependencies } from "../dependencies.ts"
import { changeRole } from "../management/manage-roles.ts"
import { maskSchema } from "../rules/mask-schema.ts"
import { accessLogSchema, descriptionSchema, nameSchema } from "../rules/policy-input.ts"
import { MAX_ROLE_BYTES, rolePathSchema, roleSchema, showRole } from "./role-schema.ts"

const requestSchema = z
  .strictObject({
    name: nameSchema.exactOptional(),
    description: descriptionSchema.exactOptional(),
    accessLog: accessLogSchema.exactOptional(),
    mask: maskSchema.nullable().exactOptional().describe("Null: values are never masked"),
    archived: z.boolean().exactOptional().describe("`false` restores an archived role"),
  })
  .refine((changes) => Object.keys(changes).length > 0, "At least one field is required")

export const updateRole = endpoint({
  id: "update-data-role",
  method: "PATCH",
  path: "/data-roles/{role_id}",
  tag: "Data policies",
  summary: "Change a data role",
  description: "Fields that are not sent stay unchanged. The slug cannot be changed.",
  auth: [apiKey("dataRole:update")],
  reveals: "nothing",
  writes: true,
  request: {
    path: rolePathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_ROLE_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: roleSchema, description: "The data role" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/config", "dynamodb:PutItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, body, caller }, dependencies: PolicyDependencies) {
    return { body: showRole(await changeRole(dependencies, app, path.role_id, body, authorOf(caller))) }
  },
})
