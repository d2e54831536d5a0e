import { serviceRoutes } from "../../service-routes.ts"
import { createUnknownRouteHandler } from "../../unknown-route.ts"
import type { EdgeMiddleware } from "./edge-middleware.ts"

/**
 * Lets only GET and HEAD through to an endpoint for GET. API Gateway passes every method of its path to it that has no route
 * of its own, because a route for HEAD beside each for GET would take a quarter of what an API may have. Other methods get
 * the same answer as without a route.
 */
export function onlyReading(): EdgeMiddleware {
  const answerUnknown = createUnknownRouteHandler(serviceRoutes())
  return {
    before({ event, context }) {
      const { method } = event.requestContext.http
      return method === "GET" || method === "HEAD" ? undefined : answerUnknown(event, context)
    },
  }
}
