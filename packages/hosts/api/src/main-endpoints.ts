import { createHandler, type Platform } from "@sealway/http"
import type { DataRoles } from "@sealway/policies"
import { fingerprintEndpoints, vaultEndpoints } from "@sealway/vault"
import type { ServedEndpoint } from "./service.ts"
import * as fingerprints from "./wiring/fingerprints.ts"
import * as vault from "./wiring/vault.ts"

/** The endpoints of the main job, by their ids: what several processes of one machine serve. */
export const MAIN_ENDPOINTS: ReadonlySet<string> = new Set([
  "encrypt",
  "decrypt",
  "fingerprint",
  "inspect",
  "rewrap",
  "get-keys",
  "get-app-keys",
  "create-client-side-token",
  "reveal",
])

/** Creates the endpoints of the main job, without loading the others. */
export function createMainEndpoints(platform: Platform, dataRoles: DataRoles): readonly ServedEndpoint[] {
  const vaultDependencies = vault.createDependencies(platform, dataRoles)
  const fingerprintDependencies = fingerprints.createDependencies(platform)
  return [
    ...vaultEndpoints.map((endpoint) => ({
      endpoint,
      handler: createHandler(endpoint, vaultDependencies, platform),
    })),
    ...fingerprintEndpoints.map((endpoint) => ({
      endpoint,
      handler: createHandler(endpoint, fingerprintDependencies, platform),
    })),
  ].filter(({ endpoint }) => MAIN_ENDPOINTS.has(endpoint.id))
}
