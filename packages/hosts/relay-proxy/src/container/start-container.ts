import { setTimeout as sleep } from "node:timers/promises"
import type { Log } from "@sealway/ports"
import { listenForWorkers } from "../workers/shared-listeners.ts"
import { workerEnvironment } from "../workers/worker-environment.ts"
import {
  CONTAINER_LIMITS,
  type ContainerServingOptions,
  createContainerServing,
} from "./container-serving.ts"
import type { ContainerSettings } from "./container-settings.ts"
import { startHealthServer } from "./health-server.ts"

interface Lifetime {
  readonly settings: Omit<ContainerSettings, "workers">
  /** Default: all IPv4 interfaces. */
  readonly host?: string
  /** How long it continues when told to stop, so that load balancers notice. Default: 5,000. */
  readonly lingerMs?: number
}

export interface ContainerOptions extends Omit<ContainerServingOptions, "settings">, Lifetime {}

export interface SharedContainerOptions extends Lifetime {
  readonly workers: number
  /** The environment of this process; workers get the part that they need. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly log: Pick<Log, "error">
}

/** The listening ports, and how to stop. */
export interface RelayContainer {
  readonly originPort: number
  readonly proxyPort: number
  readonly strictProxyPort: number
  readonly healthPort: number
  /** Reports unhealthy, lets exchanges end, writes everything held in memory, and releases the ports. */
  close(): Promise<void>
}

const HOST = "0.0.0.0"
const LINGER_MS = 5_000
const WORKER = new URL("worker.ts", import.meta.url)
/** The variables that configure the AWS SDK and the program itself. */
const WORKER_VARIABLE = /^(?:AWS_|SEALWAY_|HOME$)/

/**
 * Serves relays as the container does: requests through CloudFront, over TLS, which carry the origin secret; a forward
 * proxy; and health checks.
 *
 * @throws Error when the configuration does not say where relays are served, or a port is taken
 */
export async function startRelayContainer(options: ContainerOptions): Promise<RelayContainer> {
  const { settings, host = HOST } = options
  const serving = createContainerServing(options)
  return beWell(options, {
    isWell: () => true,
    close: serving.close,
    listen: async () => ({
      originPort: await serving.origin.listen({ port: settings.originPort, host }),
      proxyPort: (await serving.proxy.listen({ port: settings.proxyPort, host })).port,
      strictProxyPort: (
        await serving.proxy.listen({ port: settings.strictProxyPort, host, challenges: true })
      ).port,
    }),
  })
}

/**
 * Does the same with workers that share the ports. This process only accepts connections and answers health checks: it
 * is healthy while there is at least one worker.
 *
 * @throws Error when a port is taken
 * @throws WorkerNotStartedError
 */
export async function startSharedRelayContainer(options: SharedContainerOptions): Promise<RelayContainer> {
  const { settings, host = HOST, workers, environment, log } = options
  const addresses = new Map([
    ["origin", { port: settings.originPort, host }],
    ["proxy", { port: settings.proxyPort, host }],
    ["strict-proxy", { port: settings.strictProxyPort, host }],
  ])
  const shared = await listenForWorkers(addresses, {
    count: workers,
    script: WORKER,
    environment: workerEnvironment(environment, (name) => WORKER_VARIABLE.test(name)),
    setup: null,
    drainTimeoutMs: CONTAINER_LIMITS.drainTimeoutMs,
    log,
  })
  return beWell(options, {
    isWell: () => shared.ready > 0,
    close: shared.close,
    listen: async () => ({
      originPort: shared.portOf("origin"),
      proxyPort: shared.portOf("proxy"),
      strictProxyPort: shared.portOf("strict-proxy"),
    }),
  })
}

interface ContainerService {
  isWell(): boolean
  listen(): Promise<Pick<RelayContainer, "originPort" | "proxyPort" | "strictProxyPort">>
  close(): Promise<void>
}

/** Reports healthy, once serving, until it must stop. */
async function beWell(
  { settings, host = HOST, lingerMs = LINGER_MS }: Lifetime,
  served: ContainerService,
): Promise<RelayContainer> {
  try {
    const ports = await served.listen()
    const health = await startHealthServer({ port: settings.healthPort, host, isWell: served.isWell })
    return {
      ...ports,
      healthPort: health.port,
      async close() {
        health.retire()
        await sleep(lingerMs)
        // Health checks report that it is stopping while the last exchanges end.
        await served.close()
        await health.close()
      },
    }
  } catch (error) {
    await served.close()
    throw error
  }
}
