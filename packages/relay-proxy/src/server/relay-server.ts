import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { clientAddress, createTurnEnd } from "@sealway/kernel"
import type { Log } from "@sealway/platform"
import type { ProxyMode } from "@sealway/relay"
import { RelayError } from "@sealway/relay-engine"
import type { RelayHandler } from "../exchange.ts"
import { RELAY_LIMITS, type RelayLimits } from "../limits.ts"
import { lengthNotNumeric } from "./admit-request.ts"
import { ClientConnection } from "./client-connection.ts"
import type { ConnectionContext } from "./connection-context.ts"
import { problemReply } from "./problem-reply.ts"
import { createRequestIds } from "./request-id.ts"
import { ServerExchange } from "./server-exchange.ts"

export interface RelayServerOptions {
  /** Answers requests on connections that say nothing else. */
  readonly handler: RelayHandler
  readonly log: Pick<Log, "error">
  /** Default: `reverse`. */
  readonly mode?: ProxyMode
  /** Default: `RELAY_LIMITS`. */
  readonly limits?: Partial<RelayLimits>
  /**
   * Answers requests in origin form (RFC 9112 section 3.2.1) in forward mode, outside tunnels: they are for the proxy
   * itself. Default: they are refused with `invalid-request`.
   */
  readonly onOriginForm?: RelayHandler
  /** Takes over a connection that asks for a tunnel. Default: such requests are refused with `http-connect-not-allowed`. */
  readonly onConnect?: (request: IncomingMessage, socket: Socket, head: Buffer) => void
}

export interface RelayServer {
  /** Port 0 takes a free one. Rejects with the error of `node:net` when the port cannot be had. */
  listen(options: { readonly port: number; readonly host: string }): Promise<{ port: number; url: string }>
  /**
   * Serves HTTP on a socket that somebody else has accepted: a tunnel's, decrypted, or one whose first byte was looked
   * at and put back. What `context` leaves out is as on the server's own connections.
   */
  serve(socket: Socket, context?: Partial<ConnectionContext>): void
  /** Takes no further requests, waits up to `drainTimeoutMs` for those in flight, and drops what is left. */
  close(): Promise<void>
}

/**
 * The HTTP/1.1 server of relays: it takes requests, bounded in size and time, and answers whatever is wrong with one as
 * relays answer errors. The address that it says a client has is the peer's; no header has a say in it. Requests to
 * change the protocol (`Upgrade`) are passed over, as RFC 9110 section 7.8 allows.
 */
export function createRelayServer({
  handler,
  log,
  mode = "reverse",
  onOriginForm = refuseOriginForm,
  onConnect,
  ...options
}: RelayServerOptions): RelayServer {
  const limits: RelayLimits = { ...RELAY_LIMITS, ...options.limits }
  const nextId = createRequestIds()
  const atTurnEnd = createTurnEnd()
  const connections = new Map<Duplex, ClientConnection>()
  const contexts = new WeakMap<Duplex, Partial<ConnectionContext>>()
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs / 2, 5_000),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    insecureHTTPParser: false,
    // Ours to refuse, with a body that says why.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
  })
  // Counted on admission: Node.js would drop those above its number silently.
  server.maxHeadersCount = 0
  server.maxConnections = limits.maxClients

  server.on("connection", (socket: Socket) => {
    const context = contexts.get(socket)
    const ip = context?.ip ?? clientAddress(socket.remoteAddress ?? "")
    // A peer without an address has hung up.
    if (ip === "") {
      socket.destroy()
      return
    }
    const connection = new ClientConnection(socket, { mode, tunnel: null, handler, ...context, ip }, limits)
    connections.set(socket, connection)
    socket.once("close", () => {
      connections.delete(socket)
      connection.abandon()
    })
  })
  const receive = (isContinueExpected: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket)
    connection?.take(
      new ServerExchange(request, response, {
        connection,
        limits,
        log,
        nextId,
        atTurnEnd,
        onOriginForm,
        isContinueExpected,
      }),
    )
  }
  server.on("request", receive(false))
  server.on("checkContinue", receive(true))
  // Expectations other than `100-continue` may be passed over (RFC 9110 section 10.1.1).
  server.on("checkExpectation", receive(false))
  server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const connection = connections.get(socket)
    if (onConnect === undefined || connection?.context.tunnel !== null) {
      connection?.refuse(new RelayError("http-connect-not-allowed", "CONNECT is for forward proxies only."))
    } else if (connection.isIdle) onConnect(request, socket, head)
    // An answer that is still owed would be written into the tunnel.
    else connection.destroy()
  })
  server.on("clientError", (error: ParserError, socket: Duplex) => {
    connections.get(socket)?.refuse(parserProblem(error))
  })

  async function drain(): Promise<void> {
    // Not `once` of node:events, which rejects when a socket errs before it closes.
    const closed = [...connections.keys()].map(
      (socket) => new Promise((resolve) => socket.once("close", resolve)),
    )
    server.close()
    for (const connection of connections.values()) connection.close()
    const giveUp = setTimeout(() => {
      for (const connection of connections.values()) connection.destroy()
    }, limits.drainTimeoutMs)
    await Promise.all(closed)
    clearTimeout(giveUp)
  }
  let isTracking = false
  let drained: Promise<void> | null = null

  return {
    async listen({ port, host }) {
      isTracking = true
      server.listen(port, host)
      await once(server, "listening")
      const address = server.address()
      if (address === null || typeof address === "string") throw new TypeError("A relay listens on TCP only")
      return { port: address.port, url: `http://${urlHost(host)}:${address.port}` }
    },

    serve(socket, context = {}) {
      // A server that does not listen itself would begin to watch its clients' deadlines never.
      if (!isTracking) server.emit("listening")
      isTracking = true
      contexts.set(socket, context)
      server.emit("connection", socket)
    },

    close() {
      drained ??= drain()
      return drained
    },
  }
}

const refuseOriginForm: RelayHandler = async () =>
  problemReply("invalid-request", "A forward proxy takes CONNECT, and targets that begin with http://.", {
    mode: "forward",
  })

/** `reason`: the parser's own words. */
type ParserError = NodeJS.ErrnoException & { readonly reason?: string }

function parserProblem({ code, reason = "" }: ParserError): RelayError {
  // The same code is for a length beside chunks.
  const isNotNumeric = code === "HPE_INVALID_CONTENT_LENGTH" && !reason.includes("Transfer-Encoding")
  if (isNotNumeric) return lengthNotNumeric()
  return new RelayError("bad-request", PARSER_DETAILS.get(code) ?? "The request is not valid HTTP.")
}

const PARSER_DETAILS: ReadonlyMap<string | undefined, string> = new Map([
  ["HPE_HEADER_OVERFLOW", "The request's line and headers are too large."],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "The request's chunk extensions are too large."],
  ["ERR_HTTP_REQUEST_TIMEOUT", "The request took too long to arrive."],
])

/** A host for URLs: addresses that mean every interface are reached through loopback. */
function urlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1"
  if (host === "::") return "[::1]"
  return host.includes(":") ? `[${host}]` : host
}
