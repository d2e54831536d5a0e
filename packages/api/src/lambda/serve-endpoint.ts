import { createHandler, type Endpoint, type LambdaHandler, type Platform } from "@sealway/platform"
import { type ProcessEnvironment, startPlatform } from "./start-platform.ts"

/**
 * Creates the handler of a Lambda function that answers one endpoint.
 *
 * @param createDependencies from `wiring/`
 */
export function serveEndpoint<Dependencies>(
  endpoint: Endpoint<Dependencies>,
  createDependencies: (platform: Platform) => Dependencies,
  environment: ProcessEnvironment,
): LambdaHandler {
  const platform = startPlatform(environment)
  return createHandler(endpoint, createDependencies(platform), platform)
}
