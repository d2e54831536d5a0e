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
  const { directory, keyring, wallClock } = platform
  const vault: VaultDependencies = {
    directory,
    keyring,
    wallClock,
    dataRoles: createDataRoles(platform.table, platform.now),
  }
  const health = healthEndpoint(manifest.version)
  const openApi = openApiEndpoint([...vaultEndpoints, health], manifest.version)
  return [
    ...vaultEndpoints.map((endpoint) => ({ endpoint, handler: createHandler(endpoint, vault, platform) })),
    { endpoint: health, handler: createHandler(health, null, platform) },
    { endpoint: openApi, handler: createHandler(openApi, null, platform) },
  ]
}
