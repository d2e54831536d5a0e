export type { Activity, ProxyMode, Tolerated } from "./activity/activity.ts"
export { dashboardUrlOf } from "./alerts/activity-link.ts"
export { createRelayObserver, RELAY_OBSERVER_GRANTS, type RelayObserver } from "./alerts/relay-observer.ts"
export { type CipherDependencies, createMessageCipher } from "./cipher/create-message-cipher.ts"
export type { ClientCertificate, NamedClientCertificate } from "./client-certificates/client-certificate.ts"
export { createRelayDependencies, type RelayDependencies } from "./dependencies.ts"
export {
  createRelayEdgeOnFirstUse,
  EDGE_ATTACH_GRANTS,
  EDGE_DETACH_GRANTS,
  EDGE_STATUS_GRANTS,
} from "./edge/relay-edge.ts"
export { relayEndpoints } from "./endpoints/index.ts"
export { admitExchange, type RelayAllowance } from "./limits/relay-allowance.ts"
export {
  createRelayDirectory,
  RELAY_DIRECTORY_GRANTS,
  type RelayDirectory,
  type ServedRelay,
} from "./records/relay-directory.ts"
export { formatHost, hasUsualPort, hostOf, USUAL_PORTS } from "./relays/destination.ts"
export type { Destination, Relay } from "./relays/relay.ts"
export { isRelaySubdomain } from "./relays/relay-domains.ts"
