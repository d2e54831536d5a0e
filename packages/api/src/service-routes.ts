import { type EndpointRoute, routesOf } from "@sealway/platform"
import { serviceEndpoints } from "./service-endpoints.ts"

/** Lists every route of the service. Bundles hold what it returns instead of it. */
export function serviceRoutes(): readonly EndpointRoute[] {
  return serviceEndpoints.flatMap(routesOf)
}
