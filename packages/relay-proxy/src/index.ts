/** What a process needs that serves relays on sockets. */
export { createRelayAuthority } from "./authority/relay-authority.ts"
export { createForwardProxy } from "./forward/forward-proxy.ts"
export { createRelayServer } from "./server/relay-server.ts"
export { createRelayServing } from "./serving.ts"
