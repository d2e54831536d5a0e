import { apiKey, endpoint } from "@sealway/http"
import type { FunctionDependencies } from "../dependencies.ts"
import { requireFunction } from "../deploy/manage-functions.ts"
import { functionPathSchema, functionSchema, showFunction } from "./function-schema.ts"

export const getFunction = endpoint({
  id: "get-function",
  method: "GET",
  path: "/functions/{function_name}",
  tag: "Functions",
  summary: "Get a function",
  description: "Includes the status of its latest deployment.",
  auth: [apiKey("function:read")],
  reveals: "nothing",
  request: { path: functionPathSchema },
  status: 200,
  reply: { kind: "object", schema: functionSchema, description: "The function" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config"],
  async answer({ principal: { app }, path }, dependencies: FunctionDependencies) {
    return { body: showFunction(await requireFunction(dependencies, app, path.function_name)) }
  },
})
