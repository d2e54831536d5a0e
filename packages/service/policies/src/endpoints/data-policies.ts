import {
  apiKey,
  deletingEndpoint,
  listQuerySchema,
  listReplySchema,
  pageOf,
  readingEndpoint,
  replyOf,
} from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { PolicyDependencies } from "../dependencies.ts"
import { removePolicy, requirePolicy } from "../management/manage-policies.ts"
import { readPolicyBook } from "../records/policy-book.ts"
import { slugSchema } from "../rules/policy-input.ts"
import { policyPathSchema, policySchema, showPolicy } from "./policy-schema.ts"

export const listPolicies = readingEndpoint({
  id: "list-data-policies",
  path: "/data-policies",
  tag: "Data policies",
  summary: "List the app's data policies",
  description: "Newest first.",
  auth: [apiKey("dataPolicy:list")],
  request: {
    query: listQuerySchema("policy").extend({
      role: slugSchema.optional().describe("Only policies attached to this role"),
    }),
  },
  schema: listReplySchema(policySchema, "DataPolicyList"),
  reply: "A page of data policies",
  grants: ["dynamodb:Query/config"],
  async read({ principal: { app }, query }, { configTable }: PolicyDependencies) {
    const { policies } = await readPolicyBook(configTable, app.id)
    const wanted = policies.filter(
      ({ roles }) => query.role === undefined || roles.some(({ slug }) => slug === query.role),
    )
    return replyOf(pageOf(wanted, query), showPolicy)
  },
})

export const getPolicy = readingEndpoint({
  id: "get-data-policy",
  path: "/data-policies/{policy_id}",
  tag: "Data policies",
  summary: "Get a data policy",
  description: "By its id.",
  auth: [apiKey("dataPolicy:read")],
  request: { path: policyPathSchema },
  schema: policySchema,
  reply: "The data policy",
  errors: ["invalid-request", "not-found"],
  grants: ["dynamodb:GetItem/config"],
  async read({ principal: { app }, path }, dependencies: PolicyDependencies) {
    return showPolicy(await requirePolicy(dependencies, app, path.policy_id))
  },
})

export const deletePolicy = deletingEndpoint({
  id: "delete-data-policy",
  path: "/data-policies/{policy_id}",
  tag: "Data policies",
  summary: "Delete a data policy",
  description: "Takes effect everywhere within 10 seconds.",
  auth: [apiKey("dataPolicy:delete")],
  request: { path: policyPathSchema },
  reply: "The data policy is deleted",
  errors: ["invalid-request", "not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...AUDIT_GRANTS],
  async remove({ principal: { app }, path, caller }, dependencies: PolicyDependencies) {
    await removePolicy(dependencies, app, path.policy_id, authorOf(caller))
  },
})
