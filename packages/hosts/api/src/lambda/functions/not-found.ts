import type { LambdaHandler } from "@sealway/http"
import { serviceRoutes } from "../../service-routes.ts"
import { createUnknownRouteHandler } from "../../unknown-route.ts"

/**
 * Starts the handler of the Lambda function that answers requests without a route. It needs no configuration and no AWS
 * permissions.
 */
export function start(): LambdaHandler {
  return createUnknownRouteHandler(serviceRoutes())
}
