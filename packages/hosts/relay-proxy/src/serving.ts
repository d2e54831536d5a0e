import type { Platform } from "@sealway/http"
import type { MemoryBudget } from "@sealway/http/ingress"
import { createDataRoles, type DataRoles } from "@sealway/policies"
import {
  createRelayDirectory,
  createRelayObserver,
  dashboardUrlOf,
  type RelayDirectory,
} from "@sealway/relay"
import type { RelayHandler } from "./exchange.ts"
import { createRelayHandler } from "./handler/create-relay-handler.ts"
import { createUpstream } from "./upstream/upstream.ts"

export interface RelayServingOptions {
  /** Default: new ones, which are flushed when serving ends. */
  readonly dataRoles?: DataRoles
  /** Default: a new one. A process that also manages relays passes the one that it manages them with. */
  readonly relays?: RelayDirectory
  /** CA certificates, in PEM, that may issue those of destinations, besides the public ones. Default: none. */
  readonly trust?: readonly string[]
  /** Where links in alerts lead. Default: the dashboard of the configuration, if it has one. */
  readonly dashboardUrl?: string | null
  /** See `HandlerDependencies`. */
  readonly memory?: MemoryBudget
}

/** What a process needs to pass requests through relays. */
export interface RelayServing {
  readonly handler: RelayHandler
  readonly relays: RelayDirectory
  /**
   * Resolves when background work is done: await it after an answer when the process may then be frozen, as in a Lambda.
   */
  settle(): Promise<void>
  /** Writes everything held in memory, and ends connections to destinations. */
  close(): Promise<void>
}

/** @throws Error when the configuration does not say where relays are served */
export function createRelayServing(
  platform: Platform,
  { dataRoles = createDataRoles(platform), trust = [], ...options }: RelayServingOptions = {},
): RelayServing {
  if (platform.relay === null) throw new Error("The configuration has no relay domain")
  const { domain: relayDomain } = platform.relay
  const relays = options.relays ?? createRelayDirectory({ ...platform, relayDomain })
  const { dashboardApiUrl, signIn } = platform
  const { dashboardUrl = dashboardUrlOf(dashboardApiUrl, signIn.hasDashboard) } = options
  const observer = createRelayObserver({ ...platform, dashboardUrl })
  const upstream = createUpstream({ allowPrivate: platform.allowPrivateDestinations, authorities: trust })
  const { memory } = options
  const handler = createRelayHandler({
    ...platform,
    relays,
    relayDomain,
    upstream,
    observer,
    dataRoles,
    ...(memory && { memory }),
  })
  return {
    handler,
    relays,
    async settle() {
      await Promise.all([observer.settle(), platform.stats.settle(), platform.limiter.settle()])
    },
    async close() {
      await upstream.close()
      await observer.flush()
      await dataRoles.flush()
      await platform.accessLog.flush()
      await platform.stats.flush()
      await platform.limiter.flush()
    },
  }
}
