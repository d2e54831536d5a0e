import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { TLSSocket } from "node:tls"
import { createEdgeServer, type ParserError } from "@sealway/http/ingress"
import { createTurnEnd } from "@sealway/kernel"
import type { Log } from "@sealway/ports"
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
  /** Answers requests on connections without a handler in their context. */
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
  /**
   * Takes over a connection that requests a tunnel. Default: such requests are refused with `http-connect-not-allowed`.
   */
  readonly onConnect?: (request: IncomingMessage, socket: Socket, head: Buffer) => void
}

export interface RelayServer {
  /** Port 0 picks a free one. Rejects with the error of `node:net` when the port is not available. */
  listen(options: { readonly port: number; readonly host: string }): Promise<{ port: number; url: string }>
  /**
   * Serves HTTP on a socket that was accepted elsewhere: a decrypted tunnel, or one whose first byte was peeked at.
   * What `context` omits is as on the server's own connections.
   */
  serve(socket: Socket, context?: Partial<ConnectionContext>): void
  /** Accepts no further requests, waits up to `drainTimeoutMs` for those in flight, and drops the rest. */
  close(): Promise<void>
}

/**
 * Creates the HTTP/1.1 server of relays: it accepts requests, bounded in size and time, and answers invalid ones in the
 * format of relay errors. The client address that it reports is the peer's; no header can change it.
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
    contextOf: (ip, socket) => {
      const scheme = socket instanceof TLSSocket ? "https" : "http"
      return { mode, scheme, tunnel: null, handler, ip, ...contexts.get(socket) }
    },
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
  problemReply("invalid-request", "A forward proxy accepts CONNECT, and targets that begin with http://.", {
    mode: "forward",
  })

function parserProblem({ code, reason = "" }: ParserError): RelayError {
  // The same code is used for a length with chunks.
  const isNotNumeric = code === "HPE_INVALID_CONTENT_LENGTH" && !reason.includes("Transfer-Encoding")
  if (isNotNumeric) return lengthNotNumeric()
  return new RelayError("bad-request", PARSER_DETAILS.get(code) ?? "The request is not valid HTTP.")
}

const PARSER_DETAILS: ReadonlyMap<string | undefined, string> = new Map([
  ["HPE_HEADER_OVERFLOW", "The request line and headers are too large."],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "The request's chunk extensions are too large."],
  ["ERR_HTTP_REQUEST_TIMEOUT", "The request took too long to arrive."],
])
