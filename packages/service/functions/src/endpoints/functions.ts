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
import type { FunctionDependencies } from "../dependencies.ts"
import { functionsOf, deleteFunction as remove, requireFunction } from "../deploy/manage-functions.ts"
import { functionPathSchema, functionSchema, showFunction } from "./function-schema.ts"

export const listFunctions = readingEndpoint({
  id: "list-functions",
  path: "/functions",
  tag: "Functions",
  summary: "List the app's functions",
  description: "Newest first.",
  auth: [apiKey("function:list")],
  request: { query: listQuerySchema("func") },
  schema: listReplySchema(functionSchema, "FunctionList"),
  reply: "A page of functions",
  grants: ["dynamodb:Query/config"],
  async read({ principal: { app }, query }, dependencies: FunctionDependencies) {
    return replyOf(pageOf(await functionsOf(dependencies, app), query), showFunction)
  },
})

export const getFunction = readingEndpoint({
  id: "get-function",
  path: "/functions/{function_name}",
  tag: "Functions",
  summary: "Get a function",
  description: "Includes the status of its latest deployment.",
  auth: [apiKey("function:read")],
  request: { path: functionPathSchema },
  schema: functionSchema,
  reply: "The function",
  grants: ["dynamodb:GetItem/config"],
  async read({ principal: { app }, path }, dependencies: FunctionDependencies) {
    return showFunction(await requireFunction(dependencies, app, path.function_name))
  },
})

export const deleteFunction = deletingEndpoint({
  id: "delete-function",
  path: "/functions/{function_name}",
  tag: "Functions",
  summary: "Delete a function",
  description: "The function can no longer be run. Scheduled runs fail, and past runs can no longer be read.",
  auth: [apiKey("function:delete")],
  request: { path: functionPathSchema },
  reply: "The function is deleted",
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:PutItem/config",
    "dynamodb:PutItem/runs",
    "sqs:SendMessage/function-runs",
    ...AUDIT_GRANTS,
  ],
  async remove({ principal: { app }, path, caller }, dependencies: FunctionDependencies) {
    await remove(dependencies, app, path.function_name, authorOf(caller))
  },
})
