import type { Platform } from "@sealway/platform"
import { createDataRoles, type DataRoles } from "@sealway/policies"
import { createRelayDependencies, deferredEdge, type RelayDependencies } from "@sealway/relay"

/**
 * @param dataRoles default: new ones
 * @throws Error when the configuration does not say where relays are served
 */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
): RelayDependencies {
  const { relay, connect } = platform
  if (relay === null || relay.edge === null) return createRelayDependencies(platform, { dataRoles })
  const options = { relayDomain: relay.domain, ...relay.edge }
  const edge = deferredEdge(async () => {
    // A large library, for a few endpoints that seldom change a domain.
    const { createCloudFrontClient, createCloudFrontEdge } = await import("@sealway/relay/cloudfront")
    return createCloudFrontEdge({ client: createCloudFrontClient(connect), ...options })
  })
  return createRelayDependencies(platform, { dataRoles, edge })
}
