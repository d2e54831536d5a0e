import { createHandler, type Endpoint, type LambdaHandler, type Platform } from "@sealway/http"
import { atLambdaEdge } from "./edge/at-lambda-edge.ts"
import type { EdgeMiddleware } from "./edge/edge-middleware.ts"
import { type ProcessEnvironment, startPlatform } from "./start-platform.ts"

/**
 * Creates the handler of a Lambda function that answers one endpoint.
 *
 * @param createDependencies from `wiring/`
 * @param first see `atLambdaEdge`
 */
export function serveEndpoint<Dependencies>(
  endpoint: Endpoint<Dependencies>,
  createDependencies: (platform: Platform) => Dependencies,
  environment: ProcessEnvironment,
  ...first: readonly EdgeMiddleware[]
): LambdaHandler {
  const platform = startPlatform(environment)
  return atLambdaEdge(createHandler(endpoint, createDependencies(platform), platform), platform, ...first)
}
