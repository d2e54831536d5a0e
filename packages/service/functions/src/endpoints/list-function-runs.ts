import { apiKey, endpoint, listQuerySchema, listReplySchema, replyOf } from "@sealway/http"
import type { FunctionDependencies } from "../dependencies.ts"
import { requireFunction } from "../deploy/manage-functions.ts"
import { pageRuns } from "../records/run-table.ts"
import { functionPathSchema } from "./function-schema.ts"
import { runSummarySchema, showRunSummary } from "./run-schema.ts"

export const listFunctionRuns = endpoint({
  id: "list-function-runs",
  method: "GET",
  path: "/functions/{function_name}/runs",
  tag: "Functions",
  summary: "List a function's asynchronous runs",
  description: "Runs of the last 7 days, newest first, without their results.",
  auth: [apiKey("functionRun:list")],
  reveals: "nothing",
  request: { path: functionPathSchema, query: listQuerySchema("func_run") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(runSummarySchema, "FunctionRunList"),
    description: "A page of runs",
  },
  errors: ["not-found", "invalid-request"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/runs"],
  async answer({ principal: { app }, path, query }, dependencies: FunctionDependencies) {
    const { id } = await requireFunction(dependencies, app, path.function_name)
    return { body: replyOf(await pageRuns(dependencies.runsTable, app.id, id, query), showRunSummary) }
  },
})
