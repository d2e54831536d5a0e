export { createRelayAuthority, type RelayAuthority } from "../authority/relay-authority.ts"
export { createRelayServing, type RelayServing } from "../container/serving.ts"
export { createForwardProxy, type ForwardProxy } from "../forward/forward-proxy.ts"
export { forwardRequestHeaders, forwardResponseHeaders } from "../hop-by-hop.ts"
export { RELAY_LIMITS, type RelayLimits } from "../limits.ts"
export { createUpstream, type UpstreamOptions } from "../upstream/upstream.ts"
export type { ConnectionContext } from "./connection-context.ts"
export type {
  Body,
  ClientCertificate,
  InboundRequest,
  OutboundReply,
  ProxyCredentials,
  ProxyMode,
  RawHeaders,
  RelayHandler,
  Upstream,
  UpstreamReply,
  UpstreamRequest,
} from "./exchange.ts"
export { problemMessage, problemReply } from "./problem-reply.ts"
export { createRelayServer, type RelayServer, type RelayServerOptions } from "./relay-server.ts"
