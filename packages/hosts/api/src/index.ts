export { CORS } from "./cors.ts"
export {
  ASSET_CACHE_CONTROL,
  DASHBOARD_HEADERS,
  DASHBOARD_SECURITY_POLICY,
  dashboardContentType,
  PAGE_CACHE_CONTROL,
} from "./dashboard-headers.ts"
export { writeOpenApiDocument } from "./openapi-document.ts"
export { createService, type ServedEndpoint } from "./service.ts"
export { ENDPOINTS, serviceEndpoints } from "./service-endpoints.ts"
export { serviceRoutes } from "./service-routes.ts"
export { createUnknownRouteAnswers } from "./unknown-route.ts"
