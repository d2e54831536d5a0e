import type { Endpoint, LambdaHandler, Platform } from "@sealway/platform"
import { serviceRoutes } from "../service-routes.ts"
import { createUnknownRouteHandler } from "../unknown-route.ts"
import { serveEndpoint } from "./serve-endpoint.ts"
import type { ProcessEnvironment } from "./start-platform.ts"

/**
 * Creates the handler of a Lambda function that answers an endpoint for GET. API Gateway passes every method of its path to it
 * that has no route of its own, because a route for HEAD beside each for GET would take a quarter of what an API may have.
 * Other methods than these two get the same answer as without a route.
 */
export function serveReadingEndpoint<Dependencies>(
  endpoint: Endpoint<Dependencies>,
  createDependencies: (platform: Platform) => Dependencies,
  environment: ProcessEnvironment,
): LambdaHandler {
  return onlyReading(
    serveEndpoint(endpoint, createDependencies, environment),
    createUnknownRouteHandler(serviceRoutes()),
  )
}

/** Passes GET and HEAD to one handler, and all else to another. */
function onlyReading(reading: LambdaHandler, others: LambdaHandler): LambdaHandler {
  return (event, context) => {
    const { method } = event.requestContext.http
    return method === "GET" || method === "HEAD" ? reading(event, context) : others(event, context)
  }
}
