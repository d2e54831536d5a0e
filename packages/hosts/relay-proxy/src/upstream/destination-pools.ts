import { isIP, type LookupFunction } from "node:net"
import { createGuardedConnector } from "@sealway/http/egress"
import type { Destination } from "@sealway/relay"
import { RelayError } from "@sealway/relay-engine"
import { Pool } from "undici"
import type { UpstreamRequest } from "../exchange.ts"
import type { RelayLimits } from "../limits.ts"
import type { RequestHeads } from "./request-heads.ts"
import { createClientContext } from "./secure-context.ts"

/** Connections of one app to one destination, with one client certificate or none. */
export interface DestinationPool {
  readonly pool: Pool
  /** How many requests are in flight or wait for a connection. */
  inFlight: number
  /** Whether a request came since the last sweep. */
  isUsed: boolean
}

export interface DestinationPoolsOptions {
  readonly allowPrivate: boolean
  readonly lookup: LookupFunction
  /** PEM certificates trusted in addition to those that Node.js trusts. */
  readonly authorities: readonly string[]
  readonly limits: RelayLimits
  /** Writes the heads of requests on the pools' connections. */
  readonly heads: Pick<RequestHeads, "writeOn">
  /** Called for sockets that broke off, with what they had read before. See `createUpstream`. */
  readonly onSocketError: (error: Error, bytesRead: number) => void
}

/** How long connections stay open without a request, unless the destination says otherwise. */
const KEEP_ALIVE_MS = 10_000
const MAX_KEEP_ALIVE_MS = 60_000
/** How often unused destinations are dropped. */
const SWEEP_MS = 60_000

/** Connections to destinations, kept for as long as they are used. */
export class DestinationPools {
  readonly #options: DestinationPoolsOptions
  /** Oldest first. */
  readonly #pools = new Map<string, DestinationPool>()
  readonly #sweeper: NodeJS.Timeout

  constructor(options: DestinationPoolsOptions) {
    this.#options = options
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref()
  }

  /**
   * @throws RelayError `service-unavailable` when the maximum number of requests to the destination is in progress, and
   * `proxy-error` when the client certificate cannot be used
   */
  take({
    appId,
    destination,
    clientCertificate,
  }: Pick<UpstreamRequest, "appId" | "destination" | "clientCertificate">): DestinationPool {
    const origin = originOf(destination)
    const key = [appId, origin, clientCertificate?.id].join(" ")
    let pool = this.#pools.get(key)
    if (pool === undefined) {
      const certificate = clientCertificate?.certificate ?? null
      pool = { pool: this.#open(origin, destination, certificate), inFlight: 0, isUsed: true }
      this.#makeRoom()
      this.#pools.set(key, pool)
    }
    if (pool.inFlight >= this.#options.limits.maxInFlight) {
      throw new RelayError("service-unavailable", "Too many requests are waiting for the destination.", {
        stage: "destination",
      })
    }
    pool.isUsed = true
    pool.inFlight += 1
    return pool
  }

  /** Ends everything in flight. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    const pools = [...this.#pools.values()]
    this.#pools.clear()
    await Promise.all(pools.map(({ pool }) => pool.destroy()))
  }

  #open(origin: string, { host }: Destination, certificate: Parameters<typeof createClientContext>[1]): Pool {
    const { allowPrivate, lookup, authorities, limits, heads, onSocketError } = this.#options
    const secureContext = createClientContext(authorities, certificate)
    const connect = createGuardedConnector({
      allowPrivate,
      lookup,
      connectTimeoutMs: limits.connectTimeoutMs,
      ...(secureContext !== null && { secureContext }),
    })
    return new Pool(origin, {
      // The certificate must be the destination's, whatever `Host` says.
      connect: (target, callback) =>
        connect({ ...target, servername: isIP(host) === 0 ? host : "" }, (...result) => {
          const [error, socket] = result
          if (error === null) {
            heads.writeOn(socket)
            socket.on("error", (broken) => onSocketError(broken, socket.bytesRead))
          }
          callback(...result)
        }),
      allowH2: false,
      connections: limits.maxConnections,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      maxHeaderSize: limits.maxReplyHeaderBytes,
      // One deadline for the whole exchange covers both, see `UpstreamExchange`.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** Drops the oldest idle destination, or else the oldest, which finishes its requests. */
  #makeRoom(): void {
    if (this.#pools.size < this.#options.limits.maxDestinations) return
    const pools = [...this.#pools]
    const [oldest] = pools
    const leaving = pools.find(([, { inFlight }]) => inFlight === 0) ?? oldest
    if (leaving !== undefined) this.#drop(...leaving)
  }

  #sweep(): void {
    for (const [key, pool] of this.#pools) {
      if (pool.isUsed || pool.inFlight > 0) pool.isUsed = false
      else this.#drop(key, pool)
    }
  }

  #drop(key: string, { pool }: DestinationPool): void {
    this.#pools.delete(key)
    // Waits for what is in flight, which no longer concerns this class.
    void pool.close().catch(() => {})
  }
}

function originOf({ scheme, host, port }: Destination): string {
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`
}
