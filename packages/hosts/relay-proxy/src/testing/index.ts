export type { RelayAuthority } from "../authority/relay-authority.ts"
export { parseContainerSettings } from "../container/container-settings.ts"
export {
  type RelayContainer,
  startRelayContainer,
  startSharedRelayContainer,
} from "../container/start-container.ts"
export type { InboundRequest, OutboundReply, RelayHandler, Upstream, UpstreamRequest } from "../exchange.ts"
export type { ForwardProxy, ForwardProxyLimits } from "../forward/forward-proxy.ts"
export { createHandlerWorld, HOST } from "../handler/testing/world.ts"
export { HeldBody } from "../held-body.ts"
export { forwardRequestHeaders, forwardResponseHeaders } from "../hop-by-hop.ts"
export { startFunction } from "../lambda/testing/start-function.ts"
export { problemReply } from "../server/problem-reply.ts"
export type { RelayServerOptions } from "../server/relay-server.ts"
export { collectBody } from "../server/request-body.ts"
export { createUpstream, type UpstreamOptions } from "../upstream/upstream.ts"
