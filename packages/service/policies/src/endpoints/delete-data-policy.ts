import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { PolicyDependencies } from "../dependencies.ts"
import { removePolicy } from "../management/manage-policies.ts"
import { policyPathSchema } from "./policy-schema.ts"

export const deletePolicy = endpoint({
  id: "delete-data-policy",
  method: "DELETE",
  path: "/data-policies/{policy_id}",
  tag: "Data policies",
  summary: "Delete a data policy",
  description: "Takes effect everywhere within 10 seconds.",
  auth: [apiKey("dataPolicy:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: policyPathSchema },
  status: 204,
  reply: { kind: "none", description: "The data policy is deleted" },
  errors: ["invalid-request", "not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: PolicyDependencies) {
    await removePolicy(dependencies, app, path.policy_id, authorOf(caller))
    return { body: null }
  },
})
