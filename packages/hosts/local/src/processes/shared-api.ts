import { once } from "node:events"
import { createServer } from "node:net"
import { performance } from "node:perf_hooks"
import type { SharedListeners } from "@sealway/relay-proxy"
import { portOf } from "../cloud/loopback-server.ts"
import type { Gateway, GatewayAddress } from "../gateway/index.ts"
import { acceptForwarded, type ForwardAddress } from "./forwarded-connections.ts"

/** The workers, as far as they take connections of the API. */
export type ApiWorkers = Pick<SharedListeners, "ready" | "wake" | "hand">

/** The port of the API where workers take its connections. */
export interface SharedApi {
  readonly port: number
  /** Where workers pass on what they do not answer. */
  readonly forwardAddress: ForwardAddress
  /** From now on workers take connections, once there is enough to do. */
  shareWith(workers: ApiWorkers): void
  /** Accepts no further connections of callers. Those of workers are served until `close`. */
  stopListening(): void
  close(): Promise<void>
}

/** The name of its listener for workers. */
export const API_LISTENER = "api"

const WATCH_EVERY_MS = 1_000
/** The part of a second for which this process was busy. */
const BUSY_PART = 1 / 2
/** So many busy seconds in a row start the workers: a page of the dashboard, or a start, takes less. */
const BUSY_SECONDS = 2

/**
 * Listens for callers of the API. This process serves them itself until it has been busy for seconds: then it starts the
 * workers, which take memory, and hands over every further connection. Its own ones end after their next answer, so that
 * their clients connect again, to workers. Whenever no worker is running, it serves again.
 *
 * @throws Error with code `EADDRINUSE` when the port is taken
 */
export async function listenForApi(
  gateway: Pick<Gateway, "serveAt" | "releaseConnections">,
  { port: wantedPort, host }: GatewayAddress,
): Promise<SharedApi> {
  let workers: ApiWorkers | null = null
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
    if (workers !== null && workers.ready > 0) {
      socket.on("error", () => socket.destroy())
      workers.hand({ listener: API_LISTENER, socket })
      return
    }
    serve(socket)
    socket.resume()
  })
  server.listen(wantedPort, host)
  await once(server, "listening")
  const port = portOf(server.address())
  const serve = gateway.serveAt({ port, host })
  const forwarded = await acceptForwarded(serve).catch((error) => {
    server.close()
    throw error
  })
  let watch: NodeJS.Timeout | undefined
  const stopListening = () => {
    clearInterval(watch)
    server.close()
  }
  return {
    port,
    forwardAddress: forwarded.address,
    shareWith(taking) {
      workers = taking
      watch = watchLoad(taking, gateway)
    },
    stopListening,
    async close() {
      stopListening()
      await forwarded.close()
    },
  }
}

/**
 * Starts the workers when this process is busy, and lets them take its connections whenever one of them is ready.
 *
 * @param busyPart returns for which part of the time since its last call this process was busy
 */
export function watchLoad(
  workers: Pick<ApiWorkers, "ready" | "wake">,
  gateway: Pick<Gateway, "releaseConnections">,
  busyPart = measureLoad(),
): NodeJS.Timeout {
  let busySeconds = 0
  return setInterval(() => {
    busySeconds = busyPart() > BUSY_PART ? busySeconds + 1 : 0
    if (busySeconds >= BUSY_SECONDS) workers.wake()
    if (workers.ready > 0) gateway.releaseConnections()
  }, WATCH_EVERY_MS).unref()
}

function measureLoad(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}
