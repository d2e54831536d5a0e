import { once } from "node:events"
import type { Socket } from "node:net"
import type { ApiKeyUses, IdentityServices, Log } from "@sealway/platform"
import type { RelayDirectory } from "@sealway/relay"
import type { RelayAuthority } from "../authority/relay-authority.ts"
import type { RelayHandler } from "../exchange.ts"
import { RELAY_LIMITS, type RelayLimits } from "../limits.ts"
import { problemReply } from "../server/problem-reply.ts"
import { createRelayServer } from "../server/relay-server.ts"
import { createSocketListener } from "../server/socket-listener.ts"
import { admitRequests } from "./admit-request.ts"
import { answerOriginForm } from "./ca-chains.ts"
import { peekFirstByte } from "./first-byte.ts"
import { createHandshakes, type HandshakeLimits } from "./handshakes.ts"
import { createTunnels } from "./open-tunnel.ts"
import type { ProxyClient } from "./proxy-credentials.ts"
import { secureSocket } from "./secure-socket.ts"

export interface ForwardProxyLimits extends RelayLimits, HandshakeLimits {
  /** Tunnels at a time. */
  readonly maxTunnels: number
}

export const FORWARD_PROXY_LIMITS: ForwardProxyLimits = {
  ...RELAY_LIMITS,
  handshakeTimeoutMs: 10_000,
  maxHandshakes: 1_000,
  maxTunnels: 5_000,
}

export interface ForwardProxyOptions {
  readonly handler: RelayHandler
  readonly authority: RelayAuthority
  readonly relays: Pick<RelayDirectory, "byDestination" | "isDestination">
  readonly identity: IdentityServices
  readonly apiKeyUses: Pick<ApiKeyUses, "note">
  readonly log: Pick<Log, "warn" | "error">
  /** What clients that speak TLS to the proxy itself call it. Default: `LOOPBACK_NAMES`. */
  readonly names?: readonly string[]
  /** Default: `FORWARD_PROXY_LIMITS`. */
  readonly limits?: Partial<ForwardProxyLimits>
}

export interface ForwardProxy {
  /** Port 0 takes a free one. Rejects with the error of `node:net` when the port cannot be had. */
  listen(options: { readonly port: number; readonly host: string }): Promise<{ port: number; url: string }>
  /** Serves a client whose connection somebody else has accepted, and nothing of it read. */
  serve(socket: Socket): void
  /** Takes no further connections, lets requests in flight finish for a while, and drops what is left. */
  close(): Promise<void>
}

const LOOPBACK_NAMES: readonly string[] = ["localhost", "127.0.0.1", "::1"]

/**
 * A forward proxy in front of a relay handler, for clients that keep the addresses of their destinations. One port
 * takes clients that speak TLS to the proxy and clients that do not: `CONNECT` tunnels for https, absolute-form
 * requests for http (RFC 9112 section 3.2.2), and requests for the proxy's certificate chains.
 */
export function createForwardProxy(options: ForwardProxyOptions): ForwardProxy {
  const { handler, authority, relays, identity, apiKeyUses, log, names = LOOPBACK_NAMES } = options
  const limits = { ...FORWARD_PROXY_LIMITS, ...options.limits }
  const onClient = ({ apiKey }: ProxyClient) => {
    apiKeyUses.note(apiKey).catch((error: unknown) => log.warn("key use not noted", { error }))
  }
  const admission = { handler, relays, identity, onClient, log }
  const plain = admitRequests("http", admission)
  const common = { handler: plain, log, limits, mode: "forward" } as const
  const inner = createRelayServer(common)
  const handshakes = createHandshakes(limits)
  const tunnels = createTunnels({
    authority,
    relays,
    identity,
    onClient,
    handshakes,
    server: inner,
    handlers: { tls: admitRequests("https", admission), plain, misdirected },
    maxTunnels: limits.maxTunnels,
    log,
  })
  const outer = createRelayServer({
    ...common,
    onOriginForm: (request) => answerOriginForm(request, { authority, directory: identity.directory }),
    onConnect: tunnels.connect,
  })

  async function accept(socket: Socket): Promise<void> {
    const isReady = handshakes.begin(socket)
    const firstByte = await peekFirstByte(socket)
    if (firstByte === null) {
      socket.destroy()
      return
    }
    const ready =
      firstByte === "tls" ? await secureSocket(socket, await authority.secureContext(names, null)) : socket
    isReady()
    if (ready !== null) outer.serve(ready)
  }

  const listener = createSocketListener(accept, { maxClients: limits.maxClients, log })

  return {
    async listen({ port, host }) {
      listener.listen(port, host)
      await once(listener, "listening")
      const address = listener.address()
      if (address === null || typeof address === "string") throw new TypeError("A proxy listens on TCP only")
      const name = host.includes(":") ? `[${host}]` : host
      return { port: address.port, url: `http://${name}:${address.port}` }
    },

    serve: (socket) => void listener.emit("connection", socket),

    async close() {
      const closed = listener.listening ? once(listener, "close") : null
      listener.close()
      handshakes.close()
      // From the inside out: a connection that carries a tunnel has no requests of its own to wait for.
      await inner.close()
      tunnels.close()
      await outer.close()
      await closed
    },
  }
}

const misdirected: RelayHandler = async () =>
  problemReply(
    "invalid-request",
    "The server name in TLS (SNI) is another host than that of the CONNECT request, which is the one that counts.",
    { mode: "forward" },
  )
