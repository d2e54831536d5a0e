import { apiKey, endpoint, listQuerySchema, listReplySchema, pageOf, replyOf } from "@sealway/http"
import type { PolicyDependencies } from "../dependencies.ts"
import { readPolicyBook } from "../records/policy-book.ts"
import { slugSchema } from "../rules/policy-input.ts"
import { policySchema, showPolicy } from "./policy-schema.ts"

export const listPolicies = endpoint({
  id: "list-data-policies",
  method: "GET",
  path: "/data-policies",
  tag: "Data policies",
  summary: "List the app's data policies",
  description: "Newest first.",
  auth: [apiKey("dataPolicy:list")],
  reveals: "nothing",
  request: {
    query: listQuerySchema("policy").extend({
      role: slugSchema.optional().describe("Only policies attached to this role"),
    }),
  },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(policySchema, "DataPolicyList"),
    description: "A page of data policies",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/config"],
  async answer({ principal: { app }, query }, { configTable }: PolicyDependencies) {
    const { policies } = await readPolicyBook(configTable, app.id)
    const wanted = policies.filter(
      ({ roles }) => query.role === undefined || roles.some(({ slug }) => slug === query.role),
    )
    return { body: replyOf(pageOf(wanted, query), showPolicy) }
  },
})
