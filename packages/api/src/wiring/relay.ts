import type { Platform } from "@sealway/platform"
import { createDataRoles, type DataRoles } from "@sealway/policies"
import {
  createCloudFrontClient,
  createCloudFrontEdge,
  createRelayDependencies,
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
  const client = createCloudFrontClient(connect)
  const edge = createCloudFrontEdge({ client, relayDomain: relay.domain, ...relay.edge })
  return createRelayDependencies(platform, { ...services, edge })
}
