import type { LambdaHandler } from "@sealway/platform"
import { serviceRoutes } from "../../service-routes.ts"
import { createUnknownRouteHandler } from "../../unknown-route.ts"

/** The handler of the Lambda function that answers what no route is for. It needs no configuration, and nothing of AWS. */
export function start(): LambdaHandler {
  return createUnknownRouteHandler(serviceRoutes())
}
