import { serviceEndpoints } from "./service-endpoints.ts"
import { type DeclaredRoute, declaredRoutes } from "./unknown-route.ts"

/** Lists every route of the service. Bundles hold what it returns instead of it. */
export function serviceRoutes(): readonly DeclaredRoute[] {
  return declaredRoutes(serviceEndpoints)
}
