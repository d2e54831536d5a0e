export type { CorsConfiguration } from "./cors.ts"
export type { ForwardTarget } from "./forwarding.ts"
export {
  createGateway,
  type Gateway,
  type GatewayAddress,
  logTo,
  type ServeConnection,
} from "./gateway.ts"
export {
  API_GATEWAY_LIMITS,
  CONTAINER_LIMITS,
  type GatewayLimits,
  type LoadLimits,
  limitsOf,
} from "./limits.ts"
export type { LambdaHandler, Route } from "./route.ts"
