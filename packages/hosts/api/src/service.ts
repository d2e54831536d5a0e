import type { FileStorage } from "@sealway/files"
import type { FunctionDependencies, FunctionServices } from "@sealway/functions"
import { createHandler, type Endpoint, type EndpointHandler, type Platform } from "@sealway/http"
import type { PaymentDependencies } from "@sealway/payments"
import { createDataRoles, type DataRoles, type PolicyProver } from "@sealway/policies"
import type { RelayDependencies, RelayDirectory } from "@sealway/relay"
import type { LocalFunctions } from "./endpoints/health.ts"
import { ENDPOINTS } from "./service-endpoints.ts"
import * as elements from "./wiring/elements.ts"
import * as enclave from "./wiring/enclave.ts"
import * as files from "./wiring/files.ts"
import * as fingerprints from "./wiring/fingerprints.ts"
import * as formats from "./wiring/formats.ts"
import * as functions from "./wiring/functions.ts"
import * as health from "./wiring/health.ts"
import * as honey from "./wiring/honey.ts"
import * as management from "./wiring/management.ts"
import * as members from "./wiring/members.ts"
import * as oidc from "./wiring/oidc.ts"
import * as openapi from "./wiring/openapi.ts"
import * as payments from "./wiring/payments.ts"
import * as policies from "./wiring/policies.ts"
import * as relay from "./wiring/relay.ts"
import * as subjects from "./wiring/subjects.ts"
import * as vault from "./wiring/vault.ts"
import * as webhooks from "./wiring/webhooks.ts"

/** An endpoint and its handler. */
export interface ServedEndpoint {
  readonly endpoint: Endpoint<never>
  readonly handler: EndpointHandler
}

export interface Service {
  /** Every endpoint of the service, with its handler. */
  readonly endpoints: readonly ServedEndpoint[]
  /** Also used by the worker of function runs. */
  readonly functions: FunctionDependencies
  /** Also used for serving relays. */
  readonly relay: RelayDependencies
  /** Also used by the workers of payments. */
  readonly payments: PaymentDependencies
  /** Writes everything that is held in memory for a while. */
  flush(): Promise<void>
}

/** What the parts of a process share. */
export interface ServiceParts {
  /** Default: a new one. */
  readonly dataRoles?: DataRoles
  /** Default: a new one. */
  readonly relays?: RelayDirectory
  /** Where files are stored. Default: the bucket of the configuration. */
  readonly storage?: FileStorage
  /** Where functions are deployed. Default: where the configuration says. */
  readonly functionHosting?: Omit<FunctionServices, "dataRoles">
  /** Default: none, as in the cloud. */
  readonly prover?: PolicyProver
}

/**
 * Creates every endpoint of the service with its dependencies, in one process.
 *
 * @param localFunctions how functions run on this machine. Default: they run elsewhere
 */
export function createService(
  platform: Platform,
  localFunctions: LocalFunctions | null = null,
  { dataRoles = createDataRoles(platform), relays, storage, functionHosting, prover }: ServiceParts = {},
): Service {
  const serve = <Dependencies>(
    endpoints: readonly Endpoint<Dependencies>[],
    dependencies: Dependencies,
  ): ServedEndpoint[] =>
    endpoints.map((endpoint) => ({ endpoint, handler: createHandler(endpoint, dependencies, platform) }))

  const functionDependencies = functions.createDependencies(platform, dataRoles, functionHosting)
  const relayDependencies = relay.createDependencies(platform, dataRoles, relays)
  const paymentDependencies = payments.createDependencies(platform, dataRoles)
  return {
    functions: functionDependencies,
    relay: relayDependencies,
    payments: paymentDependencies,
    endpoints: [
      ...serve(ENDPOINTS.vault, vault.createDependencies(platform, dataRoles)),
      ...serve(
        ENDPOINTS.fingerprints,
        fingerprints.createDependencies(platform, paymentDependencies.binData),
      ),
      ...serve(ENDPOINTS.policies, policies.createDependencies(platform, dataRoles, prover)),
      ...serve(ENDPOINTS.management, management.createDependencies(platform)),
      ...serve(ENDPOINTS.members, members.createDependencies(platform)),
      ...serve(ENDPOINTS.oidc, oidc.createDependencies(platform)),
      ...serve(ENDPOINTS.enclave, enclave.createDependencies(platform, dataRoles)),
      ...serve(ENDPOINTS.subjects, subjects.createDependencies(platform)),
      ...serve(ENDPOINTS.honey, honey.createDependencies(platform, dataRoles)),
      ...serve(ENDPOINTS.formats, formats.createDependencies(platform, dataRoles)),
      ...serve(ENDPOINTS.files, files.createDependencies(platform, dataRoles, storage)),
      ...serve(ENDPOINTS.webhooks, webhooks.createDependencies(platform)),
      ...serve(ENDPOINTS.functions, functionDependencies),
      ...serve(ENDPOINTS.relay, relayDependencies),
      ...serve(ENDPOINTS.payments, paymentDependencies),
      ...serve(ENDPOINTS.elements, elements.createDependencies(platform)),
      ...serve(ENDPOINTS.health, { ...health.createDependencies(), localFunctions }),
      ...serve(ENDPOINTS.openapi, openapi.createDependencies()),
    ],
    async flush() {
      await dataRoles.flush()
      await platform.accessLog.flush()
      await platform.stats.flush()
      await platform.limiter.flush()
    },
  }
}
