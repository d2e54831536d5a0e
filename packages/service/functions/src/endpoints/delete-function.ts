import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { FunctionDependencies } from "../dependencies.ts"
import { deleteFunction as remove } from "../deploy/manage-functions.ts"
import { functionPathSchema } from "./function-schema.ts"

export const deleteFunction = endpoint({
  id: "delete-function",
  method: "DELETE",
  path: "/functions/{function_name}",
  tag: "Functions",
  summary: "Delete a function",
  description: "The function can no longer be run. Scheduled runs fail, and past runs can no longer be read.",
  auth: [apiKey("function:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: functionPathSchema },
  status: 204,
  reply: { kind: "none", description: "The function is deleted" },
  errors: ["not-found", "conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:PutItem/config",
    "dynamodb:PutItem/runs",
    "sqs:SendMessage/function-runs",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, path, caller }, dependencies: FunctionDependencies) {
    await remove(dependencies, app, path.function_name, authorOf(caller))
    return { body: null }
  },
})
