import { apiKey, endpoint, listQuerySchema, listReplySchema, pageOf, replyOf } from "@sealway/http"
import type { FunctionDependencies } from "../dependencies.ts"
import { functionsOf } from "../deploy/manage-functions.ts"
import { functionSchema, showFunction } from "./function-schema.ts"

export const listFunctions = endpoint({
  id: "list-functions",
  method: "GET",
  path: "/functions",
  tag: "Functions",
  summary: "List the app's functions",
  description: "Newest first.",
  auth: [apiKey("function:list")],
  reveals: "nothing",
  request: { query: listQuerySchema("func") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(functionSchema, "FunctionList"),
    description: "A page of functions",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/config"],
  async answer({ principal: { app }, query }, dependencies: FunctionDependencies) {
    return { body: replyOf(pageOf(await functionsOf(dependencies, app), query), showFunction) }
  },
})
