export { createRelayDependencies, type RelayDependencies } from "./dependencies.ts"
export { createCloudFrontClient, createCloudFrontEdge } from "./edge/cloudfront-edge.ts"
export { EDGE_ATTACH_GRANTS, EDGE_DETACH_GRANTS, EDGE_STATUS_GRANTS } from "./edge/relay-edge.ts"
export { relayEndpoints } from "./endpoints/index.ts"
