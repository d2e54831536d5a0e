import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { SecureContext } from "node:tls"
import type { IdentityServices } from "@sealway/http"
import type { RawHeaders } from "@sealway/kernel"
import type { Log } from "@sealway/ports"
import { hostOf, type RelayDirectory } from "@sealway/relay"
import { RelayError } from "@sealway/relay-engine"
import type { RelayAuthority } from "../authority/relay-authority.ts"
import type { ProxyCredentials, RelayHandler } from "../exchange.ts"
import { problemMessage } from "../server/problem-reply.ts"
import type { RelayServer } from "../server/relay-server.ts"
import { BAD_CREDENTIALS, NO_CREDENTIALS, NO_RELAY, proxyAuthorization } from "./admit-request.ts"
import { type ConnectTarget, parseConnectTarget } from "./connect-target.ts"
import { peekFirstByte } from "./first-byte.ts"
import type { Handshakes } from "./handshakes.ts"
import { identifyProxyClient, type ProxyClient } from "./proxy-credentials.ts"
import { secureSocket } from "./secure-socket.ts"

export interface TunnelDependencies {
  readonly authority: RelayAuthority
  readonly relays: Pick<RelayDirectory, "byDestination" | "isDestination">
  readonly identity: IdentityServices
  readonly onClient: (client: ProxyClient) => void
  readonly handshakes: Handshakes
  /** Serves the requests in tunnels. */
  readonly server: Pick<RelayServer, "serve">
  readonly handlers: TunnelHandlers
  readonly maxTunnels: number
  readonly log: Pick<Log, "error">
}

export interface TunnelHandlers {
  /** Handles requests that came through TLS. */
  readonly tls: RelayHandler
  /** Handles requests that came without TLS. */
  readonly plain: RelayHandler
  /** Handles requests whose TLS was for another server than CONNECT: refuses them. */
  readonly misdirected: RelayHandler
}

const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n"

interface Admission {
  /** The target of a tunnel, and its credentials: null when the requests in it must carry them. */
  readonly tunnel: ConnectTarget & { readonly credentials: ProxyCredentials | null }
  /** What the proxy needs to act as the host. It exists before the tunnel opens, so that nothing can fail later. */
  readonly secureContext: SecureContext
}

/**
 * Handles CONNECT requests (RFC 9110 section 9.3.6). No connection is made: the proxy acts as the destination to the
 * client, with a certificate for the host of the CONNECT request, issued by the authority of the app whose credentials
 * it carries. Without credentials a tunnel is only opened to destinations of relays, with a certificate issued by the
 * root, and each request in it must carry credentials. A challenging connection opens none without: many clients only
 * send credentials when challenged, and cannot be challenged in a tunnel. It gives clients without credentials the same
 * answer for every host, which reveals nothing about relays.
 *
 * The host of CONNECT counts. A client that asks for another name in TLS (SNI) gets the certificate of the CONNECT
 * host, which is not valid for that name; if it does not check, its requests are refused.
 */
export function createTunnels(dependencies: TunnelDependencies) {
  const { authority, relays, identity, onClient, handshakes, server, handlers, maxTunnels, log } =
    dependencies
  const open = new Set<Socket>()

  async function admit(
    { url = "", rawHeaders, headers }: IncomingMessage,
    challenges: boolean,
  ): Promise<Admission> {
    const parsed = parseConnectTarget(url)
    if (!parsed.ok) throw new RelayError(parsed.code, parsed.detail)
    // What follows belongs to the tunnel, whatever a proxy in front may make of it.
    if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) {
      throw new RelayError("invalid-request", "A CONNECT request must not have a body.")
    }
    const { host, port } = parsed.target
    const client = await whoAsks(rawHeaders, parsed.target, challenges)
    if (client !== null && (await relays.byDestination(client.app.id, host, port)) === null) {
      throw new RelayError("relay-not-found", NO_RELAY)
    }
    return {
      tunnel: { host, port, credentials: client?.credentials ?? null },
      secureContext: await authority.secureContext([host], client?.app ?? null),
    }
  }

  /** Returns null when there are no credentials, and this destination needs none. */
  async function whoAsks(
    rawHeaders: RawHeaders,
    { host, port }: ConnectTarget,
    challenges: boolean,
  ): Promise<ProxyClient | null> {
    const [value, ...more] = proxyAuthorization(rawHeaders)
    if (value === undefined) {
      if (!challenges && (await relays.isDestination(host, port))) return null
      throw new RelayError("proxy-authentication-required", NO_CREDENTIALS)
    }
    const client = more.length === 0 ? await identifyProxyClient(value, identity) : null
    if (client === null) throw new RelayError("proxy-auth-failed", BAD_CREDENTIALS)
    onClient(client)
    return client
  }

  async function serve(socket: Socket, { tunnel, secureContext }: Admission): Promise<void> {
    const isReady = handshakes.begin(socket)
    socket.write(ESTABLISHED)
    const firstByte = await peekFirstByte(socket)
    if (firstByte === null) {
      socket.destroy()
      return
    }
    if (firstByte === "other") {
      isReady()
      server.serve(socket, { tunnel, handler: handlers.plain })
      return
    }
    const secured = await secureSocket(socket, secureContext)
    if (secured === null) return
    isReady()
    const { servername } = secured
    const isMeant = !servername || hostOf(servername) === tunnel.host
    server.serve(secured, { tunnel, handler: isMeant ? handlers.tls : handlers.misdirected })
  }

  async function take(request: IncomingMessage, socket: Socket, challenges: boolean): Promise<void> {
    try {
      if (open.size > maxTunnels)
        throw new RelayError("service-unavailable", "The proxy has too many tunnels open.")
      const admission = await admit(request, challenges)
      if (!socket.destroyed) await serve(socket, admission)
    } catch (error) {
      if (!(error instanceof RelayError)) log.error("could not open a tunnel", { error })
      refuse(socket, error)
    }
  }

  return {
    /**
     * @param head the bytes after the CONNECT request
     * @param challenges whether no tunnel is opened without credentials
     */
    connect(request: IncomingMessage, socket: Socket, head: Buffer, challenges: boolean): void {
      // Nobody else listens any more, and an unhandled error event ends the process.
      socket.on("error", () => socket.destroy())
      socket.once("close", () => open.delete(socket))
      open.add(socket)
      if (head.length > 0) socket.unshift(head)
      void take(request, socket, challenges)
    },
    close(): void {
      for (const socket of open) socket.destroy()
    },
  }
}

/** Long enough for an answer to reach a client that reads it. */
const LINGER_MS = 2_000

function refuse(socket: Socket, error: unknown): void {
  const { code, message } =
    error instanceof RelayError
      ? error
      : new RelayError("internal-server-error", "The tunnel could not be opened.")
  const giveUp = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once("close", () => clearTimeout(giveUp))
  // Unread bytes from the client would reset the connection, and the answer with it.
  socket.resume()
  socket.once("end", () => socket.destroySoon())
  socket.end(problemMessage(code, message, { mode: "forward" }))
}
