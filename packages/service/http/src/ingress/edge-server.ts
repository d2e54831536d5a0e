import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { clientAddress, endsConnection } from "@sealway/kernel"
import { ClientConnection, type ConnectionRules, type ReceivedRequest } from "./client-connection.ts"
import { Deadlines } from "./deadlines.ts"
import type { EdgeLimits } from "./edge-limits.ts"
import { HTTP2_PREFACE, HTTP2_REFUSAL } from "./http2-refusal.ts"

/** `reason`: the parser's own message. */
export type ParserError = NodeJS.ErrnoException & { readonly reason?: string }

/** A CONNECT request: the socket, and the bytes that arrived after the head. */
export interface ConnectRequest<Context, Problem> {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
  readonly connection: ClientConnection<Context, Problem>
}

export interface EdgeServerOptions<Context, Problem>
  extends Pick<ConnectionRules<Context, Problem>, "maxParallel" | "maxWaiting" | "messageOf"> {
  readonly limits: EdgeLimits
  /** Returns what is known of a client. No header can change its address. */
  readonly contextOf: (ip: string, socket: Socket) => Context
  /** Receives a request: creates a turn for it and passes it to `connection.take`. */
  readonly receive: (received: ReceivedRequest<Context, Problem>) => void
  /** Translates an error of the HTTP parser. */
  readonly parserProblem: (error: ParserError) => Problem
  readonly onConnect: (request: ConnectRequest<Context, Problem>) => void
  /** The answer to clients beyond `maxClients`. Default: their connections are closed without one. */
  readonly tooManyClients?: Problem
  /** Default: new ones, of `stallTimeoutMs`. */
  readonly stalls?: Deadlines
}

export interface EdgeServer {
  /** Port 0 picks a free one. Rejects with the error of `node:net` when the port is not available. */
  listen(options: { readonly port: number; readonly host: string }): Promise<{ port: number; url: string }>
  /**
   * Serves HTTP on a socket that was accepted elsewhere, within the same limit of connections.
   *
   * @param ip the client's address. Default: the one that the socket is connected to
   */
  serve(socket: Socket, ip?: string): void
  /** Ends each connection after the next answer on it, so that its client connects again. */
  releaseConnections(): void
  /** Accepts no further requests, waits up to `drainTimeoutMs` for those in flight, and drops the rest. */
  close(): Promise<void>
}

/** How many connections at a time are told that there are too many. */
const MAX_REFUSED_CLIENTS = 256

/**
 * Creates an HTTP/1.1 server that is bounded in size and time, answers the requests of a connection in turn, and has an
 * answer for everything that is not HTTP/1.1: to HTTP/2, one in HTTP/2. It never changes the protocol: `Upgrade` is an
 * ordinary header, which `receive` may refuse (RFC 9110 section 7.8).
 */
export function createEdgeServer<Context, Problem>({
  limits,
  contextOf,
  receive,
  parserProblem,
  onConnect,
  tooManyClients,
  ...options
}: EdgeServerOptions<Context, Problem>): EdgeServer {
  const { stalls = new Deadlines(limits.stallTimeoutMs) } = options
  const reads = new Deadlines(limits.requestTimeoutMs)
  const rules = { ...options, stalls, reads, lingerMs: limits.lingerMs }
  const connections = new Map<Duplex, ClientConnection<Context, Problem>>()
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs / 2, 5_000),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    insecureHTTPParser: false,
    // The handler refuses it, with a body that says why.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
  })
  // The size of headers is limited already. Beyond a maximum number, Node.js would drop them silently.
  server.maxHeadersCount = 0
  server.maxConnections = limits.maxClients + (tooManyClients === undefined ? 0 : MAX_REFUSED_CLIENTS)

  server.on("connection", (socket: Socket, knownIp?: string) => {
    const ip = knownIp ?? clientAddress(socket.remoteAddress ?? "")
    // A client without an address has disconnected.
    if (ip === "") {
      socket.destroy()
      return
    }
    const connection = new ClientConnection(socket, contextOf(ip, socket), rules)
    const isTooMany = tooManyClients !== undefined && connections.size >= limits.maxClients
    connections.set(socket, connection)
    socket.once("close", () => {
      connections.delete(socket)
      connection.abandon()
    })
    if (isTooMany) connection.refuse(tooManyClients)
  })
  const receiver = (isContinueExpected: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket)
    if (connection === undefined) return
    receive({ request, response, connection, isContinueExpected })
    if (connection.isReleased || endsConnection(request.rawHeaders)) connection.close()
  }
  server.on("request", receiver(false))
  server.on("checkContinue", receiver(true))
  // Expectations other than `100-continue` may be ignored (RFC 9110 section 10.1.1).
  server.on("checkExpectation", receiver(false))
  server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const connection = connections.get(socket)
    if (connection !== undefined) onConnect({ request, socket, head, connection })
  })
  server.on("clientError", (error: ParserError, socket: Duplex) => {
    const message = error.code === HTTP2_PREFACE ? HTTP2_REFUSAL : undefined
    connections.get(socket)?.refuse(parserProblem(error), message)
  })

  let isTracking = false
  let draining: Promise<void> | null = null

  async function drain(): Promise<void> {
    // Not `once` of node:events, which rejects when a socket fails before it closes.
    const closed = [...connections.keys()].map(
      (socket) => new Promise((resolve) => socket.once("close", resolve)),
    )
    const stopped = new Promise((resolve) => server.close(resolve))
    for (const connection of connections.values()) connection.close()
    const giveUp = setTimeout(() => {
      for (const connection of connections.values()) connection.destroy()
    }, limits.drainTimeoutMs)
    await Promise.all([stopped, ...closed])
    clearTimeout(giveUp)
    isTracking = false
  }

  return {
    async listen({ port, host }) {
      isTracking = true
      server.listen(port, host)
      await once(server, "listening")
      const address = server.address()
      if (address === null || typeof address === "string")
        throw new TypeError("This server listens on TCP only")
      return { port: address.port, url: `http://${urlHost(host)}:${address.port}` }
    },

    serve(socket, ip) {
      // A server that does not listen itself would never start its timeout checks.
      if (!isTracking) server.emit("listening")
      isTracking = true
      // The server itself counts only what it accepts.
      if (connections.size < server.maxConnections) server.emit("connection", socket, ip)
      else socket.destroy()
    },

    releaseConnections() {
      for (const connection of connections.values()) connection.isReleased = true
    },

    close() {
      draining ??= drain().finally(() => {
        draining = null
      })
      return draining
    },
  }
}

/** Returns a host for URLs: addresses that mean every interface are reached through loopback. */
function urlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1"
  if (host === "::") return "[::1]"
  return host.includes(":") ? `[${host}]` : host
}
