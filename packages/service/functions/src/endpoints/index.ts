import type { Endpoint } from "@sealway/http"
import type { FunctionDependencies } from "../dependencies.ts"
import { createRunToken } from "./create-run-token.ts"
import { createRunTokenV2 } from "./create-run-token-v2.ts"
import { deployFunction } from "./deploy-function.ts"
import { deleteFunctionRun, listFunctionRuns } from "./function-runs.ts"
import { deleteFunction, getFunction, listFunctions } from "./functions.ts"
import { getCallbackSecret } from "./get-callback-secret.ts"
import { getFunctionRun } from "./get-function-run.ts"
import { listFunctionLogs } from "./list-function-logs.ts"
import { runBarePayload } from "./run-bare-payload.ts"
import { runFunction } from "./run-function.ts"

export const functionEndpoints: readonly Endpoint<FunctionDependencies>[] = [
  deployFunction,
  listFunctions,
  getFunction,
  deleteFunction,
  runFunction,
  runBarePayload,
  listFunctionRuns,
  getFunctionRun,
  deleteFunctionRun,
  listFunctionLogs,
  createRunToken,
  createRunTokenV2,
  getCallbackSecret,
]
