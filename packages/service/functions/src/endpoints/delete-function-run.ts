import { apiKey, endpoint } from "@sealway/http"
import { isId, NotFoundError } from "@sealway/kernel"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { FunctionDependencies } from "../dependencies.ts"
import { requireFunction } from "../deploy/manage-functions.ts"
import { deleteRun } from "../runs/delete-run.ts"
import { runPathSchema } from "./run-schema.ts"

export const deleteFunctionRun = endpoint({
  id: "delete-function-run",
  method: "DELETE",
  path: "/functions/{function_name}/runs/{run_id}",
  tag: "Functions",
  summary: "Delete an asynchronous run",
  description: "Its result is deleted too. A run that has not ended cannot be deleted.",
  auth: [apiKey("functionRun:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: runPathSchema },
  status: 204,
  reply: { kind: "none", description: "The run is deleted" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:GetItem/runs", "dynamodb:DeleteItem/runs", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: FunctionDependencies) {
    const { id: functionId } = await requireFunction(dependencies, app, path.function_name)
    if (!isId("func_run", path.run_id)) throw new NotFoundError("The run")
    await deleteRun(dependencies, app, { functionId, id: path.run_id }, authorOf(caller))
    return { body: null }
  },
})
