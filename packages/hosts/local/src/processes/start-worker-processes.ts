import { env } from "node:process"
import type { Configuration, Hosting, Log } from "@sealway/ports"
import { listenForWorkers, type SharedListeners, workerEnvironment } from "@sealway/relay-proxy"
import { serveCalls } from "../cloud/calls/serve-calls.ts"
import { databaseMethods } from "../cloud/dynamodb/table/database-calls.ts"
import { keyMethods } from "../cloud/kms/key-calls.ts"
import { queueMethods } from "../cloud/queues/queue-calls.ts"
import type { EmbeddedCloud } from "../cloud/start-embedded-cloud.ts"
import { limitsOf } from "../gateway/index.ts"
import { type Relays, type RelaysOptions, relayAddresses } from "../relays/relays.ts"
import { WORKER_TABLES, workerEnvironmentOf } from "../stage/cloud-clients.ts"
import { STAGE_KEY_ALIAS } from "../stage/stage-key.ts"
import type { Setup } from "./setup.ts"

export interface WorkerProcessesOptions extends Omit<RelaysOptions, "memory"> {
  readonly api: Setup["api"]
  /** See `Configuration`. */
  readonly apiOrigin: string | null
  /** See `Configuration`. */
  readonly accessLogDays: number | null
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

/** Workers, and the relays that they serve. */
export interface WorkerProcesses extends Relays, Omit<SharedListeners, "portOf"> {}

const WORKER = new URL("worker.ts", import.meta.url)

/**
 * Has workers serve relays, and connections of the API that they are handed. The first connection to a relay, or `wake`,
 * starts them. They reach tables, keys and queues by calls over a pipe.
 *
 * @throws Error with code `EADDRINUSE` when a port is taken
 */
export async function startWorkerProcesses(options: WorkerProcessesOptions): Promise<WorkerProcesses> {
  const { cloud, workers, host, relayPort, proxyPort, strictProxyPort, api, apiOrigin } = options
  const { trust, names, dashboardUrl, hosting, accessLogDays, logLevel, log, onReport, memoryBytes } = options
  const setup: Setup = {
    environment: workerEnvironmentOf({ hosting, apiOrigin, accessLogDays, ...(logLevel && { logLevel }) }),
    trust: [...trust],
    names: [...names],
    dashboardUrl,
    memoryBytes,
    api,
  }
  const methods = new Map([
    ...databaseMethods(cloud.database, WORKER_TABLES),
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
    drainTimeoutMs: limitsOf(hosting).drainTimeoutMs,
    onPipe: (pipe) => serveCalls(pipe, methods),
    log,
    onReport,
  })
  const { portOf } = shared
  const addresses = relayAddresses(host, portOf("reverse"), portOf("forward"), portOf("strict-forward"))
  // Not spread: it counts how many are ready.
  return Object.assign(shared, addresses)
}
