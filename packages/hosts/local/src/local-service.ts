import { randomUUID } from "node:crypto"
import {
  CORS,
  createService,
  createUnknownRouteAnswers,
  type ServedEndpoint,
  serviceRoutes,
} from "@sealway/api"
import { createPlatform, type Platform, routesOf } from "@sealway/http"
import { DEFAULT_MEMORY_BYTES, memoryBudgetOf } from "@sealway/http/ingress"
import type { MaybePromise } from "@sealway/kernel"
import { createSignInLink, signInUrl } from "@sealway/members"
import {
  type AwsCall,
  type Configuration,
  type Hosting,
  type IdentityProviderConfiguration,
  QUEUES,
  TABLES,
} from "@sealway/ports"
import { addReport, GroupedFigures, SYSTEM } from "@sealway/records"
import type { Addresses } from "./addresses/addresses.ts"
import { urlOf } from "./addresses/host-address.ts"
import { proxyNames } from "./addresses/proxy-names.ts"
import {
  type EmbeddedCloud,
  type EmbeddedCloudOptions,
  startEmbeddedCloud,
} from "./cloud/start-embedded-cloud.ts"
import type { Credentials } from "./credentials/credentials-file.ts"
import { ensureFirstApps, ensureFirstStageKey } from "./credentials/first-start.ts"
import { createDashboard, type Dashboard } from "./dashboard/dashboard.ts"
import { dashboardRoutes, withoutLastSlash } from "./dashboard/dashboard-routes.ts"
import { createGateway, type LoadLimits, limitsOf, logTo, type Route } from "./gateway/index.ts"
import { metricsRoutes } from "./metrics/metrics-routes.ts"
import { tellChanges } from "./processes/changes.ts"
import { listenForApi } from "./processes/shared-api.ts"
import { startWorkerProcesses, type WorkerProcesses } from "./processes/start-worker-processes.ts"
import { createProver } from "./proofs/create-prover.ts"
import { referenceRoutes } from "./reference/reference-page.ts"
import { startRelays } from "./relays/relays.ts"
import { BUCKETS, createCloudClients, STORAGE_PATH } from "./stage/cloud-clients.ts"
import { startPageRoutes } from "./start/start-page.ts"
import { startFoldingStats } from "./workers/fold-stats.ts"
import { startSweepingErasures } from "./workers/sweep-erasures.ts"
import { startSweepingKeys } from "./workers/sweep-keys.ts"
import { startWorkers } from "./workers/workers.ts"

export interface LocalServiceOptions {
  /**
   * The address that everything but the embedded cloud listens on, normalised by `parseHostAddress`. Default:
   * 127.0.0.1.
   */
  readonly host?: string
  /** 0 picks a free one. */
  readonly port: number
  /** The port of the reverse proxy. Default: 0, a free one. */
  readonly relayPort?: number
  /** The port of the forward proxy. Default: 0, a free one. */
  readonly proxyPort?: number
  /** How many workers share relays, the forward proxy and the API under load; 1: there are none. Default: 1. */
  readonly workers?: number
  /** The port of the forward proxy that challenges. Default: 0, a free one. */
  readonly strictProxyPort?: number
  /** CA certificates, in PEM, that may issue those of relays' destinations, besides the public ones. Default: none. */
  readonly trust?: readonly string[]
  /** `host:port` of the DNS servers for custom domains. Default: the system's. */
  readonly dnsServers?: readonly string[]
  /**
   * Names of the API in `Host` headers, besides 127.0.0.1 and localhost; with a port, or without one for every port.
   */
  readonly allowedHosts?: readonly string[]
  /** Where browsers and networks reach the API. Default: null, where each request says that it reached it. */
  readonly publicUrl?: string | null
  /** The bearer token of `GET /metrics`. Default: null; then only this machine's own programs may read them. */
  readonly metricsToken?: string | null
  /** The identity provider of members. Default: none; then only sign-in links work. */
  readonly identityProvider?: IdentityProviderConfiguration | null
  /** See `CloudClientOptions`. */
  readonly enclaveRoot?: string | null
  /** What the API takes at a time. Default: `LOAD_LIMITS`. */
  readonly load?: Partial<LoadLimits>
  /** The memory for requests of this process, and of each worker, in bytes. Default: `DEFAULT_MEMORY_BYTES`. */
  readonly memoryBytes?: number
  /** Null keeps everything in memory. */
  readonly dataFolder: string | null
  /** See `EmbeddedCloudOptions`. */
  readonly acceptLoss?: boolean
  /** How many days access records are kept that are written from now on. Default: null, for good. */
  readonly accessLogDays?: number | null
  readonly hosting: Hosting
  /** Whether functions may run unconfined when this machine cannot confine them. Default: no. */
  readonly unconfinedFunctions?: boolean
  /** See `EmbeddedCloudOptions`. */
  readonly functionNetwork?: EmbeddedCloudOptions["functionNetwork"]
  /** The confinement levels of functions to try, strongest first. Default: all. */
  readonly confinementLevels?: EmbeddedCloudOptions["confinementLevels"]
  /** Default: `WARN`. `INFO` logs every refused request. */
  readonly logLevel?: Configuration["logLevel"]
  /** See `CloudClientOptions`. */
  readonly functionRuns?: number
  /** A folder with a built dashboard, and one to keep those in that the service builds. Default: none of them. */
  readonly dashboard?: { readonly builtFolder?: string | null; readonly buildFolder?: string | null }
  /** Called for each AWS call of the handlers before it is sent. */
  readonly onAwsCall?: (call: AwsCall) => void
}

/** Sealway on one machine. */
export interface LocalService extends Addresses {
  readonly credentials: Credentials
  /** The platform of the handlers, for what has no endpoint. */
  readonly platform: Platform
  /** How functions are confined, what they may connect to, and the languages whose functions run. */
  readonly functions: EmbeddedCloud["functions"]
  /** Where the rest of a data folder was moved when it was started over; usually null. */
  readonly lostTo: string | null
  /** Creates a link that signs a browser in as owner, once, within 5 minutes. */
  createSignInLink(): Promise<string>
  /** Lets requests in flight finish, then stops everything and releases the data folder. */
  close(): Promise<void>
}

/**
 * Starts the embedded cloud, the handlers on top of it and the gateway in front of them.
 *
 * @throws EmbeddedCloudError when the cloud cannot start, for example because the data folder is in use
 * @throws Error of `node:net` when a port or the address is not available, such as `EADDRINUSE`
 */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const {
    host = "127.0.0.1",
    port,
    relayPort = 0,
    proxyPort = 0,
    strictProxyPort = 0,
    trust = [],
    dnsServers = [],
  } = options
  const { dataFolder, hosting, logLevel, functionRuns, onAwsCall } = options
  const { unconfinedFunctions, functionNetwork, confinementLevels } = options
  const { accessLogDays = null, publicUrl = null, identityProvider = null, enclaveRoot = null } = options
  const { load, acceptLoss, workers: workerCount = 1, memoryBytes = DEFAULT_MEMORY_BYTES } = options
  const memory = memoryBudgetOf(memoryBytes)
  const allowedHosts = [
    ...(options.allowedHosts ?? []),
    ...(publicUrl === null ? [] : [new URL(publicUrl).host]),
  ]
  const cloud = await startEmbeddedCloud({
    dataFolder,
    tables: TABLES,
    queues: QUEUES,
    buckets: BUCKETS,
    ...(acceptLoss !== undefined && { acceptLoss }),
    ...(unconfinedFunctions !== undefined && { unconfinedFunctions }),
    ...(functionNetwork && { functionNetwork }),
    ...(confinementLevels && { confinementLevels }),
  })
  let isRefused = false
  /** How to stop what was started, in order of starting; used from last to first. */
  const stops: (() => unknown)[] = [() => cloud.close(isRefused)]
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each()
  }
  try {
    const { configuration, clients } = createCloudClients(cloud, {
      hosting,
      dnsServers,
      apiOrigin: publicUrl,
      identityProvider,
      enclaveRoot,
      accessLogDays,
      ...(logLevel && { logLevel }),
      ...(functionRuns !== undefined && { functionRuns }),
      onCall: onAwsCall ?? null,
    })
    // The data folder is held by this process.
    const lockHolder = dataFolder === null ? null : randomUUID()
    const platform = createPlatform({ ...configuration, lockHolder }, clients)
    await ensureFirstStageKey(platform, cloud)
    const credentials = await ensureFirstApps(platform, dataFolder)
    let shared: WorkerProcesses | null = null
    const told =
      workerCount === 1 ? null : tellChanges(platform, lockHolder, (change) => shared?.tell(change))
    const prover = createProver({ now: platform.now })
    const service = createService(told?.platform ?? platform, cloud.functions, { ...told, prover })
    stops.push(() => service.flush())
    const workers = await startWorkers(platform, service, cloud)
    stops.push(() => workers.close())
    const sweepingErasures = startSweepingErasures(platform)
    stops.push(() => sweepingErasures.close())
    const sweepingKeys = startSweepingKeys(platform)
    stops.push(() => sweepingKeys.close())
    const foldingStats = startFoldingStats(platform)
    stops.push(() => foldingStats.close())
    const { builtFolder = null, buildFolder = null } = options.dashboard ?? {}
    const dashboard = createDashboard({ builtFolder, buildFolder, log: platform.log })
    stops.push(() => dashboard.close())
    const ofWorkers = new GroupedFigures()
    const metrics = metricsRoutes({
      async figures() {
        await shared?.reported()
        const all = new GroupedFigures()
        for (const each of [platform.stats.process, ofWorkers]) all.merge(each)
        return all
      },
      workers: () => shared?.ready ?? 0,
      token: options.metricsToken ?? null,
      isBehindProxy: allowedHosts.length > 0,
    })
    const pages = [
      ...startPageRoutes(cloud.functions),
      ...referenceRoutes(),
      ...dashboardRoutes(dashboard),
      ...metrics,
    ]
    const routes = [
      ...service.endpoints.flatMap((each) =>
        gatewayRoutesOf(preparing(dashboard, each), workerCount === 1 ? null : () => shared?.learned()),
      ),
      ...pages,
    ]
    const gateway = createGateway({
      routes,
      answerUnknown: withoutLastSlash(createUnknownRouteAnswers([...serviceRoutes(), ...pages])),
      limits: limitsOf(hosting, load),
      memory,
      cors: CORS,
      storage: { path: STORAGE_PATH, endpoint: cloud.storageEndpoint },
      allowedHosts,
      ...logTo(platform.log),
    })
    stops.push(() => gateway.close())
    const api = workerCount === 1 ? null : await listenForApi(gateway, { port, host })
    if (api !== null) stops.push(() => api.close())
    const { port: actualPort } = api ?? (await gateway.listen({ port, host }))
    const names = proxyNames(host, allowedHosts)
    const dashboardUrl = new URL("/dashboard", publicUrl ?? urlOf(host, actualPort)).href
    const relayOptions = { host, names, relayPort, proxyPort, strictProxyPort, trust, dashboardUrl }
    if (api !== null) {
      shared = await startWorkerProcesses({
        ...relayOptions,
        cloud,
        hosting,
        log: platform.log,
        workers: workerCount,
        memoryBytes,
        api: {
          port: actualPort,
          host,
          allowedHosts,
          load: { ...load },
          routes: routes.map(({ method, path, functionName }) => ({ method, path, functionName })),
          forwardAddress: api.forwardAddress,
        },
        apiOrigin: publicUrl,
        accessLogDays,
        onReport: (report) => addReport(ofWorkers, report),
        ...(logLevel && { logLevel }),
      })
      api.shareWith(shared)
    }
    const relays = shared ?? (await startRelays(platform, service.relay, { ...relayOptions, memory }))
    stops.push(() => relays.close())
    if (api !== null) stops.push(() => api.stopListening())
    const { relayUrl, proxyUrl, strictProxyUrl, caUrl } = relays
    const addresses = { url: urlOf(host, actualPort), relayUrl, proxyUrl, strictProxyUrl, caUrl }
    const { functions, lostTo } = cloud
    return {
      ...addresses,
      credentials,
      platform,
      functions,
      lostTo,
      close: stop,
      async createSignInLink() {
        const { code } = await createSignInLink(platform, credentials.teamId, SYSTEM)
        return signInUrl(publicUrl ?? addresses.url, code)
      },
    }
  } catch (error) {
    isRefused = true
    await stop()
    throw error
  }
}

/** Has the dashboard built while somebody signs in. */
function preparing(dashboard: Dashboard, served: ServedEndpoint): ServedEndpoint {
  const { endpoint, handler } = served
  if (endpoint.id !== "open-sign-in-page") return served
  return {
    ...served,
    handler: (event, context) => {
      dashboard.prepare()
      return handler(event, context)
    },
  }
}

/** @param untilSeen resolves when all processes have seen the handler's changes. Null: there is one process */
function gatewayRoutesOf(
  { endpoint, handler }: ServedEndpoint,
  untilSeen: (() => MaybePromise<void>) | null,
): Route[] {
  const answerWhenSeen: typeof handler = async (event, context) => {
    const result = await handler(event, context)
    await untilSeen?.()
    return result
  }
  const answer = untilSeen === null ? handler : answerWhenSeen
  return routesOf(endpoint).map((route) => ({ ...route, functionName: endpoint.id, handler: answer }))
}
