import {
  createFunctionDependencies,
  type FunctionDependencies,
  type FunctionServices,
} from "@sealway/functions"
import type { Platform } from "@sealway/http"
import { createDataRoles, type DataRoles } from "@sealway/policies"

/**
 * @param dataRoles default: new ones
 * @param hosting default: that of the configuration
 * @throws Error when the configuration does not say where functions are deployed
 */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
  hosting?: Omit<FunctionServices, "dataRoles">,
): FunctionDependencies {
  const { functions, runsTable, openFunctionHost, openObjects } = platform
  if (functions === null || runsTable === null) {
    throw new Error("The configuration does not say where to deploy functions")
  }
  return createFunctionDependencies(
    { ...platform, runsTable, runLimits: functions.runLimits },
    {
      dataRoles,
      ...(hosting ?? { host: openFunctionHost(functions.lambda), code: openObjects(functions.codeBucket) }),
    },
  )
}
