import { apiKey, endpoint } from "@sealway/http"
import { isId, NotFoundError } from "@sealway/kernel"
import { SUBJECT_GRANTS } from "@sealway/keys"
import type { FunctionDependencies } from "../dependencies.ts"
import { requireFunction } from "../deploy/manage-functions.ts"
import { getRunData } from "../records/run-data.ts"
import { runRecords } from "../records/run-table.ts"
import { keptRunSchema, runDocument, runPathSchema } from "./run-schema.ts"

export const getFunctionRun = endpoint({
  id: "get-function-run",
  method: "GET",
  path: "/functions/{function_name}/runs/{run_id}",
  tag: "Functions",
  summary: "Get an asynchronous run",
  description:
    "Includes the result. Runs are kept for 7 days. The result of a run that got values of a data subject opens as long as they do.",
  auth: [apiKey("functionRun:read")],
  reveals: "results",
  request: { path: runPathSchema },
  status: 200,
  reply: { kind: "document", formats: ["json"], description: "The run", schema: keptRunSchema },
  errors: ["not-found", "data-subject/erased"],
  grants: ["dynamodb:GetItem/config", "dynamodb:GetItem/runs", "kms:Decrypt/secret", ...SUBJECT_GRANTS],
  async answer({ principal: { app }, path }, dependencies: FunctionDependencies) {
    const { runsTable, keyring } = dependencies
    const { id: functionId } = await requireFunction(dependencies, app, path.function_name)
    const { run_id: id } = path
    const run = isId("func_run", id) ? await runRecords.find(runsTable, app.id, { functionId, id }) : null
    if (run === null) throw new NotFoundError("The run")
    const { status, attempts, createdAt, completedAt } = run
    const outcome =
      status === "scheduled" ? null : await getRunData(runsTable, keyring, app, run, `outcome-${attempts}`)
    if (status !== "scheduled" && outcome === null) throw new NotFoundError("The run")
    return { body: runDocument(id, outcome, { createdAt, completedAt }) }
  },
})
