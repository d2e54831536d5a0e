import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { PolicyDependencies } from "../dependencies.ts"
import { addRole } from "../management/manage-roles.ts"
import { maskSchema } from "../rules/mask-schema.ts"
import { accessLogSchema, descriptionSchema, nameSchema, slugSchema } from "../rules/policy-input.ts"
import { MAX_ROLE_BYTES, roleSchema, showRole } from "./role-schema.ts"

export const createRole = endpoint({
  id: "create-data-role",
  method: "POST",
  path: "/data-roles",
  tag: "Data policies",
  summary: "Create a data role",
  description:
    "The slug is sealed into values and cannot be changed. Values of a role without policies cannot be decrypted.",
  auth: [apiKey("dataRole:create")],
  reveals: "nothing",
  writes: true,
  request: {
    body: {
      kind: "object",
      schema: z.strictObject({
        slug: slugSchema,
        name: nameSchema,
        description: descriptionSchema.default(""),
        accessLog: accessLogSchema.default("standard"),
        mask: maskSchema
          .nullable()
          .default(null)
          .describe(
            'How values look to those whom policies with `reveal: "masked"` permit to see them. Null: never masked',
          ),
      }),
      maxBytes: MAX_ROLE_BYTES,
    },
  },
  status: 201,
  reply: { kind: "object", schema: roleSchema, description: "The data role" },
  errors: ["conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, body, caller }, dependencies: PolicyDependencies) {
    return { body: showRole(await addRole(dependencies, app, body, authorOf(caller))) }
  },
})
