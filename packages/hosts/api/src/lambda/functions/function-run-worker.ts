import { createRunWorker, type RunWorker } from "@sealway/functions"
import { createDependencies } from "../../wiring/functions.ts"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/**
 * Starts the handler of the Lambda function that receives from the queue `function-runs`. It reports partial batch
 * failures.
 */
export function start(environment: ProcessEnvironment): RunWorker {
  return createRunWorker(createDependencies(startPlatform(environment)))
}
