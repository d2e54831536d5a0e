import type { Endpoint } from "@sealway/http"
import type { FunctionDependencies } from "../dependencies.ts"
import { createRunToken } from "./create-run-token.ts"
import { createRunTokenV2 } from "./create-run-token-v2.ts"
import { deleteFunction } from "./delete-function.ts"
import { deleteFunctionRun } from "./delete-function-run.ts"
import { deployFunction } from "./deploy-function.ts"
import { getCallbackSecret } from "./get-callback-secret.ts"
import { getFunction } from "./get-function.ts"
import { getFunctionRun } from "./get-function-run.ts"
import { listFunctionLogs } from "./list-function-logs.ts"
import { listFunctionRuns } from "./list-function-runs.ts"
import { listFunctions } from "./list-functions.ts"
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
