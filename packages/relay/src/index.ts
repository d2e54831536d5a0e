export type { DnsQueries } from "./custom-domains/dns-queries.ts"
export { createRelayDependencies, type RelayDependencies } from "./dependencies.ts"
export { createCloudFrontClient, createCloudFrontEdge } from "./edge/cloudfront-edge.ts"
export {
  createLocalEdge,
  EDGE_ATTACH_GRANTS,
  EDGE_DETACH_GRANTS,
  EDGE_STATUS_GRANTS,
  type RelayEdge,
} from "./edge.ts"
export { relayEndpoints } from "./endpoints/index.ts"
export {
  createRelayObserver,
  RELAY_OBSERVER_GRANTS,
  type RelayObserver,
} from "./observe/relay-observer.ts"
export type { Relay } from "./relay.ts"
export {
  createRelayDirectory,
  RELAY_DIRECTORY_GRANTS,
  type RelayDirectory,
  type ServedRelay,
} from "./relay-directory.ts"
