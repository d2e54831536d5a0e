import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { PolicyDependencies } from "../dependencies.ts"
import { changePolicy } from "../management/manage-policies.ts"
import { MAX_POLICY_BYTES } from "../rules/data-policy.ts"
import { policyShape } from "../rules/policy-input.ts"
import { policyPathSchema, policySchema, showPolicy } from "./policy-schema.ts"

const requestSchema = z
  .strictObject(policyShape)
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, "At least one field is required")
  .meta({ id: "DataPolicyChanges" })

export const updatePolicy = endpoint({
  id: "update-data-policy",
  method: "PATCH",
  path: "/data-policies/{policy_id}",
  tag: "Data policies",
  summary: "Change a data policy",
  description:
    "Fields that are not sent stay unchanged. `conditions` and `cedar` are replaced as a whole, and each replaces the other; `cedar` also resets `reveal`.",
  auth: [apiKey("dataPolicy:update")],
  reveals: "nothing",
  writes: true,
  request: {
    path: policyPathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_POLICY_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: policySchema, description: "The data policy" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/config", "dynamodb:PutItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, body, caller }, dependencies: PolicyDependencies) {
    const changed = await changePolicy(dependencies, app, path.policy_id, body, authorOf(caller))
    return { body: showPolicy(changed) }
  },
})
