export type { CorsConfiguration } from "./cors.ts"
export { createGateway, type Gateway, type GatewayOptions } from "./gateway.ts"
export { API_GATEWAY_LIMITS, CONTAINER_LIMITS, type GatewayLimits, type LoadLimits } from "./limits.ts"
export type { LambdaHandler, Route } from "./route.ts"
