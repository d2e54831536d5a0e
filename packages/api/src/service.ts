import { managementEndpoints } from "@sealway/management"
import { createHandler, type Endpoint, type LambdaHandler, type Platform } from "@sealway/platform"
import { createDataRoles, createPolicyDependencies, policyEndpoints } from "@sealway/policies"
import { vaultEndpoints } from "@sealway/vault"
import { webhookEndpoints } from "@sealway/webhooks"
import manifest from "../package.json" with { type: "json" }
import { healthEndpoint } from "./health.ts"
import { openApiEndpoint } from "./openapi.ts"

/** An endpoint and what answers it. */
export interface ServedEndpoint {
  readonly endpoint: Endpoint<never>
  readonly handler: LambdaHandler
}

export interface Service {
  /** Every endpoint of the service, with its Lambda handler. */
  readonly endpoints: readonly ServedEndpoint[]
  /** Writes what is kept in memory for a while. */
  flush(): Promise<void>
}

/** Gives every endpoint of the service what it needs. */
export function createService(platform: Platform): Service {
  const dataRoles = createDataRoles(platform)
  const policies = createPolicyDependencies(platform, dataRoles)
  const serve = <Dependencies>(
    endpoints: readonly Endpoint<Dependencies>[],
    dependencies: Dependencies,
  ): ServedEndpoint[] =>
    endpoints.map((endpoint) => ({ endpoint, handler: createHandler(endpoint, dependencies, platform) }))

  const served = [
    ...serve(vaultEndpoints, { ...platform, dataRoles }),
    ...serve(policyEndpoints, policies),
    ...serve(managementEndpoints, platform),
    ...serve(webhookEndpoints, platform),
    ...serve([healthEndpoint(manifest.version)], null),
  ]
  const described = served.map(({ endpoint }) => endpoint)
  return {
    endpoints: [...served, ...serve([openApiEndpoint(described, manifest.version)], null)],
    flush: () => dataRoles.flush(),
  }
}
