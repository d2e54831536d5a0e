export {
  type AppPrincipal,
  type AuthScheme,
  apiKey,
  findEnabledApp,
  type Identity,
  type IdentityServices,
  type SessionPrincipal,
  session,
  type TeamPrincipal,
  teamKey,
} from "./endpoint/authentication.ts"
export { MAX_JSON_BYTES, MAX_SEALED_JSON_BYTES } from "./endpoint/body-limits.ts"
export { DASHBOARD_SECRET_HEADER, DASHBOARD_VIEWER_HEADER } from "./endpoint/caller-address.ts"
export {
  type Document,
  type Endpoint,
  type EndpointReply,
  endpoint,
  type ForbiddenRequest,
  writesAccessRecords,
} from "./endpoint/endpoint.ts"
export { type EndpointRoute, routesOf } from "./endpoint/endpoint-routes.ts"
export { EVERY_ANSWER } from "./endpoint/every-answer.ts"
export { grantsOf, withoutSmallerParts } from "./endpoint/grants-of.ts"
export {
  createHandler,
  type EndpointHandler,
  type HandlerContext,
  type HandlerPlatform,
  type LambdaHandler,
} from "./endpoint/handler.ts"
export {
  countParameter,
  filteredReplySchema,
  limitSchema,
  listQuerySchema,
  listReplySchema,
  pageOf,
  replyOf,
  timeQuerySchema,
} from "./endpoint/lists.ts"
export { idParameter } from "./endpoint/path-parameters.ts"
export { documentSchema, payloadSchema } from "./endpoint/payload-schema.ts"
export { deletingEndpoint, readingEndpoint } from "./endpoint/plain-endpoints.ts"
export { type Phase, RequestTiming } from "./endpoint/request-timing.ts"
export { PAGE_HEADER, requireSameOrigin } from "./endpoint/same-origin.ts"
export { isInForce, KnownSender, type RequestHeaders } from "./endpoint/sent-key.ts"
export { memberOf } from "./endpoint/session-authentication.ts"
export { cookieName, readCookie, sessionCookieName, setCookie } from "./endpoint/session-cookie.ts"
export { timedKeyring } from "./endpoint/timed-keyring.ts"
export type { HttpEvent, HttpResult } from "./http-event.ts"
export { createIdempotency, type Effect, type Idempotency, UNTRACKED_EFFECT } from "./once/idempotency.ts"
export { createPlatform, createPlatformOver, type Platform, type Ports } from "./platform.ts"
