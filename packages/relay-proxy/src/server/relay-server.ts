import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { createTurnEnd } from "@sealway/kernel"
import type { Log } from "@sealway/platform"
import { createEdgeServer, type ParserError } from "@sealway/platform/ingress"
import type { ProxyMode } from "@sealway/relay"
import { RelayError } from "@sealway/relay-engine"
import type { RelayHandler } from "../exchange.ts"
import { RELAY_LIMITS, type RelayLimits } from "../limits.ts"
import { lengthNotNumeric } from "./admit-request.ts"
import type { ConnectionContext } from "./connection-context.ts"
import { problemMessage, problemReply } from "./problem-reply.ts"
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
  const exchanges = { limits, log, nextId: createRequestIds(), atTurnEnd: createTurnEnd(), onOriginForm }
  const contexts = new WeakMap<Socket, Partial<ConnectionContext>>()
  const server = createEdgeServer<ConnectionContext, RelayError>({
    limits,
    // A client that sends many at once gets no more of the relay at a time than any other.
    maxParallel: 1,
    maxWaiting: limits.maxPipelined,
    contextOf: (ip, socket) => ({ mode, tunnel: null, handler, ip, ...contexts.get(socket) }),
    receive: (received) => received.connection.take(new ServerExchange(received, exchanges)),
    messageOf: ({ code, message }, { mode: ofConnection }) =>
      problemMessage(code, message, { mode: ofConnection }),
    parserProblem,
    onConnect({ request, socket, head, connection }) {
      if (onConnect === undefined || connection.context.tunnel !== null) {
        connection.refuse(new RelayError("http-connect-not-allowed", "CONNECT is for forward proxies only."))
      } else if (connection.isIdle) onConnect(request, socket, head)
      // An answer that is still owed would be written into the tunnel.
      else connection.destroy()
    },
  })
  let drained: Promise<void> | null = null

  return {
    listen: (address) => server.listen(address),

    serve(socket, context = {}) {
      contexts.set(socket, context)
      server.serve(socket)
    },

    close() {
      drained ??= server.close()
      return drained
    },
  }
}

const refuseOriginForm: RelayHandler = async () =>
  problemReply("invalid-request", "A forward proxy takes CONNECT, and targets that begin with http://.", {
    mode: "forward",
  })

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
