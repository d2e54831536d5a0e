import { type EndpointRoute, routesOf } from "@sealway/http"
import { serviceEndpoints } from "./service-endpoints.ts"

/** Lists every route of the service. Bundles contain its result instead of this function. */
export function serviceRoutes(): readonly EndpointRoute[] {
  return serviceEndpoints.flatMap(routesOf)
}
