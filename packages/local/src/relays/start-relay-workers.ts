import { env } from "node:process"
import type { Configuration, Hosting, Log } from "@sealway/platform"
import { listenForWorkers, RELAY_LIMITS, type SharedListeners, workerEnvironment } from "@sealway/relay-proxy"
import { serveCalls } from "../cloud/calls/serve-calls.ts"
import { databaseMethods } from "../cloud/dynamodb/table/database-calls.ts"
import { keyMethods } from "../cloud/kms/key-calls.ts"
import { queueMethods } from "../cloud/queues/queue-calls.ts"
import type { EmbeddedCloud } from "../cloud/start-embedded-cloud.ts"
import { RELAY_TABLES, relayEnvironment } from "../stage/cloud-clients.ts"
import { STAGE_KEY_ALIAS } from "../stage/stage-key.ts"
import { type Relays, type RelaysOptions, relayAddresses } from "./relays.ts"
import type { Setup } from "./setup.ts"

export interface RelayWorkersOptions extends Omit<RelaysOptions, "memory"> {
  /** For each worker. */
  readonly memoryBytes: number
  readonly cloud: EmbeddedCloud
  readonly workers: number
  readonly hosting: Hosting
  readonly logLevel?: Configuration["logLevel"]
  readonly log: Pick<Log, "error">
  /** Called with what a worker has counted. */
  readonly onReport: (report: unknown) => void
}

/** Relays served by workers. */
export interface SharedRelays extends Relays, Pick<SharedListeners, "tell" | "learned" | "reported"> {}

const WORKER = new URL("worker.ts", import.meta.url)

/**
 * Has workers serve relays, from the first connection on. They reach tables, keys and queues by calls over a pipe.
 *
 * @throws Error with code `EADDRINUSE` when a port is taken
 */
export async function startRelayWorkers(options: RelayWorkersOptions): Promise<SharedRelays> {
  const { cloud, workers, host, relayPort, proxyPort, strictProxyPort } = options
  const { trust, names, dashboardUrl, hosting, logLevel, log, onReport, memoryBytes } = options
  const setup: Setup = {
    environment: relayEnvironment(cloud, { hosting, ...(logLevel && { logLevel }) }),
    trust: [...trust],
    names: [...names],
    dashboardUrl,
    memoryBytes,
  }
  const methods = new Map([
    ...databaseMethods(cloud.database, RELAY_TABLES),
    ...keyMethods(cloud.keys, STAGE_KEY_ALIAS),
    ...queueMethods(cloud.queues, ["events"]),
  ])
  const listeners = new Map([
    ["reverse", { port: relayPort, host }],
    ["forward", { port: proxyPort, host }],
    ["strict-forward", { port: strictProxyPort, host }],
  ])
  const shared = await listenForWorkers(listeners, {
    count: workers,
    startsWhenUsed: true,
    script: WORKER,
    environment: workerEnvironment(env),
    setup,
    drainTimeoutMs: RELAY_LIMITS.drainTimeoutMs,
    onPipe: (pipe) => serveCalls(pipe, methods),
    log,
    onReport,
  })
  const { tell, learned, reported, close, portOf } = shared
  const addresses = relayAddresses(host, portOf("reverse"), portOf("forward"), portOf("strict-forward"))
  return { ...addresses, tell, learned, reported, close }
}
