import {
  apiKey,
  deletingEndpoint,
  listQuerySchema,
  listReplySchema,
  readingEndpoint,
  replyOf,
} from "@sealway/http"
import { isId, NotFoundError } from "@sealway/kernel"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { FunctionDependencies } from "../dependencies.ts"
import { requireFunction } from "../deploy/manage-functions.ts"
import { pageRuns } from "../records/run-table.ts"
import { deleteRun } from "../runs/delete-run.ts"
import { functionPathSchema } from "./function-schema.ts"
import { runPathSchema, runSummarySchema, showRunSummary } from "./run-schema.ts"

export const listFunctionRuns = readingEndpoint({
  id: "list-function-runs",
  path: "/functions/{function_name}/runs",
  tag: "Functions",
  summary: "List a function's asynchronous runs",
  description: "Runs of the last 7 days, newest first, without their results.",
  auth: [apiKey("functionRun:list")],
  request: { path: functionPathSchema, query: listQuerySchema("func_run") },
  schema: listReplySchema(runSummarySchema, "FunctionRunList"),
  reply: "A page of runs",
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/runs"],
  async read({ principal: { app }, path, query }, dependencies: FunctionDependencies) {
    const { id } = await requireFunction(dependencies, app, path.function_name)
    return replyOf(await pageRuns(dependencies.runsTable, app.id, id, query), showRunSummary)
  },
})

export const deleteFunctionRun = deletingEndpoint({
  id: "delete-function-run",
  path: "/functions/{function_name}/runs/{run_id}",
  tag: "Functions",
  summary: "Delete an asynchronous run",
  description: "Its result is deleted too. A run that has not ended cannot be deleted.",
  auth: [apiKey("functionRun:delete")],
  request: { path: runPathSchema },
  reply: "The run is deleted",
  grants: ["dynamodb:GetItem/config", "dynamodb:GetItem/runs", "dynamodb:DeleteItem/runs", ...AUDIT_GRANTS],
  async remove({ principal: { app }, path, caller }, dependencies: FunctionDependencies) {
    const { id: functionId } = await requireFunction(dependencies, app, path.function_name)
    if (!isId("func_run", path.run_id)) throw new NotFoundError("The run")
    await deleteRun(dependencies, app, { functionId, id: path.run_id }, authorOf(caller))
  },
})
