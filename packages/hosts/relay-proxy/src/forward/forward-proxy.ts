import { once } from "node:events"
import type { Socket } from "node:net"
import type { ApiKeyUses } from "@sealway/accounts"
import type { IdentityServices } from "@sealway/http"
import type { Log } from "@sealway/ports"
import { hostOf, type RelayDirectory } from "@sealway/relay"
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
  /** Concurrent tunnels. */
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
  /** Names of the proxy for clients that use TLS to it. Default: `LOOPBACK_NAMES`. */
  readonly names?: readonly string[]
  /** Further names. Clients that ask for one of them in TLS (SNI) are challenged on every port. Default: none. */
  readonly challengingNames?: readonly string[]
  /** Default: `FORWARD_PROXY_LIMITS`. */
  readonly limits?: Partial<ForwardProxyLimits>
}

export interface ForwardProxyAddress {
  readonly port: number
  readonly host: string
  /**
   * Whether every CONNECT without credentials is answered with 407, for clients that only then send them. Default: no;
   * a tunnel to a relay's destination is opened, and credentials may come inside.
   */
  readonly challenges?: boolean
}

export interface ForwardProxy {
  /**
   * Call it once for clients that are challenged, and once for those that are not. Port 0 picks a free one. Rejects
   * with the error of `node:net` when the port is not available.
   */
  listen(options: ForwardProxyAddress): Promise<{ port: number; url: string }>
  /**
   * Serves a client whose connection was accepted elsewhere, with nothing read from it.
   *
   * @param challenges see `ForwardProxyAddress`. Default: no
   */
  serve(socket: Socket, challenges?: boolean): void
  /** Accepts no further connections, lets requests in flight finish for a while, and drops the rest. */
  close(): Promise<void>
}

const LOOPBACK_NAMES: readonly string[] = ["localhost", "127.0.0.1", "::1"]

/**
 * Creates a forward proxy in front of a relay handler, for clients that keep their destinations' addresses. One port
 * serves clients with and without TLS to the proxy: `CONNECT` tunnels for https, absolute-form requests for http (RFC
 * 9112 section 3.2.2), and requests for the proxy's certificate chains.
 */
export function createForwardProxy(options: ForwardProxyOptions): ForwardProxy {
  const { handler, authority, relays, identity, apiKeyUses, log, names = LOOPBACK_NAMES } = options
  const { challengingNames = [] } = options
  const allNames = [...names, ...challengingNames]
  const limits = { ...FORWARD_PROXY_LIMITS, ...options.limits }
  const onClient = ({ apiKey }: ProxyClient) => {
    apiKeyUses
      .note(apiKey)
      ?.catch((error: unknown) => log.warn("could not record the use of a key", { error }))
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
  const createOuter = (challenges: boolean) =>
    createRelayServer({
      ...common,
      onOriginForm: (request) => answerOriginForm(request, { authority, directory: identity.directory }),
      onConnect: (request, socket, head) => tunnels.connect(request, socket, head, challenges),
    })
  const outer = { lenient: createOuter(false), challenging: createOuter(true) }

  async function accept(socket: Socket, challenges: boolean): Promise<void> {
    const isReady = handshakes.begin(socket)
    const firstByte = await peekFirstByte(socket)
    if (firstByte === null) {
      socket.destroy()
      return
    }
    if (firstByte === "other") {
      isReady()
      outer[challenges ? "challenging" : "lenient"].serve(socket)
      return
    }
    // The certificate is the same whatever name a client asks for, even none.
    const secured = await secureSocket(socket, await authority.secureContext(allNames, null))
    isReady()
    if (secured === null) return
    const isChallenged = challenges || challengingNames.includes(hostOf(secured.servername || "") ?? "")
    outer[isChallenged ? "challenging" : "lenient"].serve(secured)
  }

  const createListener = (challenges: boolean) =>
    createSocketListener((socket) => accept(socket, challenges), { maxClients: limits.maxClients, log })
  const listeners = { lenient: createListener(false), challenging: createListener(true) }

  return {
    async listen({ port, host, challenges = false }) {
      const listener = listeners[challenges ? "challenging" : "lenient"]
      listener.listen(port, host)
      await once(listener, "listening")
      const address = listener.address()
      if (address === null || typeof address === "string") throw new TypeError("A proxy listens on TCP only")
      const name = host.includes(":") ? `[${host}]` : host
      return { port: address.port, url: `http://${name}:${address.port}` }
    },

    serve(socket, challenges = false) {
      listeners[challenges ? "challenging" : "lenient"].emit("connection", socket)
    },

    async close() {
      const all = Object.values(listeners)
      const closed = all.filter(({ listening }) => listening).map((each) => once(each, "close"))
      for (const each of all) each.close()
      handshakes.close()
      // Inside out: a connection that carries a tunnel has no own requests to wait for.
      await inner.close()
      tunnels.close()
      await Promise.all([outer.lenient.close(), outer.challenging.close()])
      await Promise.all(closed)
    },
  }
}

const misdirected: RelayHandler = async () =>
  problemReply(
    "invalid-request",
    "The TLS server name (SNI) does not match the host of the CONNECT request.",
    { mode: "forward" },
  )
