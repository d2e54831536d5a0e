import { type ManagementDependencies, managementEndpoints } from "@sealway/management"
import { createHandler, type Endpoint, type LambdaHandler, type Platform } from "@sealway/platform"
import { createDataRoles } from "@sealway/policies"
import { type VaultDependencies, vaultEndpoints } from "@sealway/vault"
import manifest from "../package.json" with { type: "json" }
import { healthEndpoint } from "./health.ts"
import { openApiEndpoint } from "./openapi.ts"

/** An endpoint and what answers it. */
export interface ServedEndpoint {
  readonly endpoint: Endpoint<never>
  readonly handler: LambdaHandler
}

/** Every endpoint of the service, with its Lambda handler. */
export function createService(platform: Platform): readonly ServedEndpoint[] {
  const { directory, keyring, wallClock, audit } = platform
  const vault: VaultDependencies = {
    directory,
    keyring,
    wallClock,
    audit,
    dataRoles: createDataRoles(platform.configTable, platform.now),
  }
  const health = healthEndpoint(manifest.version)
  const openApi = openApiEndpoint([...vaultEndpoints, ...managementEndpoints, health], manifest.version)
  return [
    ...vaultEndpoints.map((endpoint) => ({ endpoint, handler: createHandler(endpoint, vault, platform) })),
    ...managementEndpoints.map((endpoint) => ({
      endpoint,
      handler: createHandler<ManagementDependencies>(endpoint, platform, platform),
    })),
    { endpoint: health, handler: createHandler(health, null, platform) },
    { endpoint: openApi, handler: createHandler(openApi, null, platform) },
  ]
}
