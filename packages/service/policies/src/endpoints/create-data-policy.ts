import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { PolicyDependencies } from "../dependencies.ts"
import { addPolicy } from "../management/manage-policies.ts"
import { MAX_POLICY_BYTES } from "../rules/data-policy.ts"
import { policyInputSchema } from "../rules/policy-input.ts"
import { policySchema, showPolicy } from "./policy-schema.ts"

export const createPolicy = endpoint({
  id: "create-data-policy",
  method: "POST",
  path: "/data-policies",
  tag: "Data policies",
  summary: "Create a data policy",
  description:
    "Permits or forbids decrypting values of some data roles. If any policy forbids, decryption is refused; otherwise at least one policy must permit it. Takes effect everywhere within 10 seconds.",
  auth: [apiKey("dataPolicy:create")],
  reveals: "nothing",
  writes: true,
  request: { body: { kind: "object", schema: policyInputSchema, maxBytes: MAX_POLICY_BYTES } },
  status: 201,
  reply: { kind: "object", schema: policySchema, description: "The data policy" },
  errors: ["conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, body, caller }, dependencies: PolicyDependencies) {
    return { body: showPolicy(await addPolicy(dependencies, app, body, authorOf(caller))) }
  },
})
