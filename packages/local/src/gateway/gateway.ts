import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { Connection } from "./connection.ts"
import type { CorsConfiguration } from "./cors.ts"
import { Deadlines } from "./deadlines.ts"
import type { GatewayLimits } from "./limits.ts"
import { Load } from "./load.ts"
import { normalizePeerAddress } from "./peer-address.ts"
import { problemMessage, RETRY_AFTER_SECONDS, type Refusal } from "./problems.ts"
import { RequestServer } from "./request-server.ts"
import type { Route } from "./route.ts"
import { compileRoutes } from "./route-table.ts"
import { createHostCheck } from "./served-hosts.ts"

export interface GatewayOptions {
  readonly routes: readonly Route[]
  readonly limits: GatewayLimits
  /** Null leaves CORS to the handlers. */
  readonly cors: CorsConfiguration | null
  /** What the service is called besides its address and its loopback names; see `HostNames`. Default: nothing. */
  readonly allowedHosts?: readonly string[]
  /** Told of what handlers throw or answer wrongly, and of those that take too long. Must not throw. */
  readonly onError: (error: unknown, functionName: string) => void
}

export interface Gateway {
  /** Port 0 takes a free one. Rejects with the error of `node:net` when the port cannot be had. */
  listen(options: { readonly port: number; readonly host: string }): Promise<{ port: number; url: string }>
  /** What is in flight. */
  readonly load: Pick<Load, "requests" | "bytes">
  /** Takes no further requests, waits up to `drainTimeoutMs` for those in flight, and drops what is left. */
  close(): Promise<void>
}

/**
 * A local stand-in for an Amazon API Gateway HTTP API in front of Lambda functions, with payload format 2.0. What it
 * refuses itself it answers as this product answers errors: with a problem body.
 *
 * It deviates from an HTTP API in this: a path that has no such method is answered with 405 rather than 404; CORS
 * headers are also on its own refusals, so that browsers can read them; it adds no `x-amzn-trace-id` and no
 * `x-forwarded-*` headers.
 *
 * @throws TypeError when two routes match the same requests, or a path is not in API Gateway's syntax
 */
export function createGateway({ routes, limits, cors, allowedHosts = [], onError }: GatewayOptions): Gateway {
  const connections = new Map<Duplex, Connection>()
  const load = new Load(limits)
  const stalls = new Deadlines(limits.stallTimeoutMs)
  const rules = { load, stalls, rests: new Deadlines(RETRY_AFTER_SECONDS * 1000) }
  /** Its port is known once it listens. */
  let isServedHost = (_host: string) => false
  const requests = new RequestServer({
    ...{ table: compileRoutes(routes), limits, load, stalls, cors, onError },
    isServedHost: (host) => isServedHost(host),
  })
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs / 2, 5000),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // Ours to refuse, with a body that says why.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
  })
  // The size of headers is limited; their number need not be, and Node.js would drop those above it silently.
  server.maxHeadersCount = 0
  // Beyond those that are told why they are refused, connections are closed unheard.
  server.maxConnections = limits.maxConnections + MAX_REFUSED_CONNECTIONS

  server.on("connection", (socket) => {
    const { remoteAddress } = socket
    // A peer without an address has hung up.
    if (remoteAddress === undefined) {
      socket.destroy()
      return
    }
    const connection = new Connection(socket, normalizePeerAddress(remoteAddress), rules)
    const isTooMany = connections.size >= limits.maxConnections
    connections.set(socket, connection)
    socket.once("close", () => {
      connections.delete(socket)
      connection.abandon()
    })
    if (isTooMany) connection.refuse(problemMessage("overloaded"))
  })
  const receive = (isContinueExpected: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket)
    if (connection !== undefined) requests.serve(request, response, connection, isContinueExpected)
  }
  server.on("request", receive(false))
  server.on("checkContinue", receive(true))
  // Expectations other than `100-continue` may be passed over (RFC 9110, section 10.1.1).
  server.on("checkExpectation", receive(false))
  server.on("connect", (_request, socket) => connections.get(socket)?.refuse(problemMessage("malformed")))
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    connections.get(socket)?.refuse(problemMessage(PARSER_PROBLEMS.get(error.code) ?? "malformed"))
  })

  async function drain(): Promise<void> {
    const closed = once(server, "close")
    server.close()
    for (const connection of connections.values()) connection.close()
    const giveUp = setTimeout(() => server.closeAllConnections(), limits.drainTimeoutMs)
    await closed
    clearTimeout(giveUp)
  }
  let drained: Promise<void> | null = null

  return {
    load,

    async listen({ port, host }) {
      server.listen(port, host)
      await once(server, "listening")
      const address = server.address()
      if (address === null || typeof address === "string")
        throw new TypeError("A gateway listens on TCP only")
      const { port: actualPort } = address
      isServedHost = createHostCheck({ port: actualPort, host: urlHost(host), allowedHosts })
      return { port: actualPort, url: `http://${urlHost(host)}:${actualPort}` }
    },

    async close() {
      if (server.listening) {
        drained ??= drain().finally(() => {
          drained = null
        })
      }
      await drained
    },
  }
}

/** Connections that are being refused at a time. */
const MAX_REFUSED_CONNECTIONS = 256

const PARSER_PROBLEMS: ReadonlyMap<string | undefined, Refusal> = new Map([
  ["HPE_HEADER_OVERFLOW", "head-too-large"],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "too-large"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "stalled"],
])

/** A host for URLs: addresses that mean every interface are reached through loopback. */
function urlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1"
  if (host === "::") return "[::1]"
  return host.includes(":") ? `[${host}]` : host
}
