/** What a process needs that serves relays on sockets. */
export { createRelayAuthority } from "../authority/relay-authority.ts"
export { createForwardProxy } from "../forward/forward-proxy.ts"
export { createRelayServing } from "../serving.ts"
export { createRelayServer } from "./relay-server.ts"
