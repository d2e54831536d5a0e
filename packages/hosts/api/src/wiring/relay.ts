import type { Platform } from "@sealway/http"
import { createDataRoles, type DataRoles } from "@sealway/policies"
import {
  createRelayDependencies,
  createRelayEdgeOnFirstUse,
  type RelayDependencies,
  type RelayDirectory,
} from "@sealway/relay"

/**
 * @param dataRoles default: new ones
 * @param relays default: new ones
 * @throws Error when the configuration does not say where relays are served
 */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
  relays?: RelayDirectory,
): RelayDependencies {
  const { relay, connect } = platform
  const services = { dataRoles, ...(relays && { relays }) }
  if (relay === null || relay.edge === null) return createRelayDependencies(platform, services)
  const options = { relayDomain: relay.domain, ...relay.edge }
  const edge = createRelayEdgeOnFirstUse(async () => {
    const { createCloudFrontClient, createCloudFrontEdge } = await import("@sealway/relay/cloudfront-edge")
    return createCloudFrontEdge({ client: createCloudFrontClient(connect), ...options })
  })
  return createRelayDependencies(platform, { ...services, edge })
}
