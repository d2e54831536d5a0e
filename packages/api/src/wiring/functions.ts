import {
  createCodeStore,
  createFunctionClients,
  createFunctionDependencies,
  createLambdaHost,
  type FunctionDependencies,
} from "@sealway/functions"
import type { Platform } from "@sealway/platform"
import { createDataRoles, type DataRoles } from "@sealway/policies"

/**
 * @param dataRoles default: new ones
 * @throws Error when the configuration does not say where functions are deployed
 */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
): FunctionDependencies {
  const { functions, runsTable } = platform
  if (functions === null || runsTable === null) {
    throw new Error("The configuration does not say where to deploy functions")
  }
  const { lambda, logs, s3 } = createFunctionClients(platform.connect)
  const host = createLambdaHost({ ...functions, lambda, logs })
  return createFunctionDependencies(
    { ...platform, runsTable, runLimits: functions.runLimits },
    { dataRoles, host, code: createCodeStore(s3, functions.codeBucket) },
  )
}
