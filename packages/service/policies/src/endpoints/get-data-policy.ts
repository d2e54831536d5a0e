import { apiKey, endpoint } from "@sealway/http"
import type { PolicyDependencies } from "../dependencies.ts"
import { requirePolicy } from "../management/manage-policies.ts"
import { policyPathSchema, policySchema, showPolicy } from "./policy-schema.ts"

export const getPolicy = endpoint({
  id: "get-data-policy",
  method: "GET",
  path: "/data-policies/{policy_id}",
  tag: "Data policies",
  summary: "Get a data policy",
  description: "By its id.",
  auth: [apiKey("dataPolicy:read")],
  reveals: "nothing",
  request: { path: policyPathSchema },
  status: 200,
  reply: { kind: "object", schema: policySchema, description: "The data policy" },
  errors: ["invalid-request", "not-found"],
  grants: ["dynamodb:GetItem/config"],
  async answer({ principal: { app }, path }, dependencies: PolicyDependencies) {
    return { body: showPolicy(await requirePolicy(dependencies, app, path.policy_id)) }
  },
})
