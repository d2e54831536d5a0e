import type { Platform } from "@sealway/http"
import type { MemoryBudget } from "@sealway/http/ingress"
import type { RelayDependencies } from "@sealway/relay"
import {
  createForwardProxy,
  createRelayAuthority,
  createRelayServer,
  createRelayServing,
} from "@sealway/relay-proxy"
import type { Addresses } from "../addresses/addresses.ts"
import { urlOf } from "../addresses/host-address.ts"

export interface RelaysOptions {
  /** Normalised by `parseHostAddress`. */
  readonly host: string
  /** The names of the forward proxy for clients that use TLS to it: names and addresses, without ports. */
  readonly names: readonly string[]
  /** The port of the reverse proxy. 0 picks a free one. */
  readonly relayPort: number
  /** The port of the forward proxy. 0 picks a free one. */
  readonly proxyPort: number
  /** The port of the forward proxy that challenges. 0 picks a free one. */
  readonly strictProxyPort: number
  /** CA certificates, in PEM, that may issue those of destinations, besides the public ones. */
  readonly trust: readonly string[]
  /** Where links in alerts lead: `http://127.0.0.1:7400/dashboard`. */
  readonly dashboardUrl: string
  /** The memory of the process that serves them. */
  readonly memory: MemoryBudget
}

/** The relays of one machine: a reverse proxy, which selects a relay by the `Host` header, and a forward proxy. */
export interface Relays extends Omit<Addresses, "url"> {
  /** Lets requests in flight finish. */
  close(): Promise<void>
}

/** Both proxies, which do not listen by themselves. */
export interface RelayServers {
  readonly reverse: Pick<ReturnType<typeof createRelayServer>, "listen" | "serve">
  readonly forward: Pick<ReturnType<typeof createForwardProxy>, "listen" | "serve">
  close(): Promise<void>
}

/** @param caches of a process that manages relays too. Default: new ones */
export function createRelayServers(
  platform: Platform,
  { trust, names, dashboardUrl, memory }: Pick<RelaysOptions, "trust" | "names" | "dashboardUrl" | "memory">,
  caches: Partial<Pick<RelayDependencies, "dataRoles" | "relays">> = {},
): RelayServers {
  const { apiKeyUses, configTable, log } = platform
  const serving = createRelayServing(platform, { ...caches, trust, dashboardUrl, memory })
  const authority = createRelayAuthority({ ...platform, table: configTable })
  const reverse = createRelayServer({ handler: serving.handler, log })
  const forward = createForwardProxy({
    handler: serving.handler,
    authority,
    relays: serving.relays,
    apiKeyUses,
    log,
    names,
    identity: platform,
  })
  return {
    reverse,
    forward,
    async close() {
      await Promise.all([reverse.close(), forward.close()])
      await serving.close()
    },
  }
}

/** @throws Error with code `EADDRINUSE` when a port is taken */
export async function startRelays(
  platform: Platform,
  caches: Pick<RelayDependencies, "dataRoles" | "relays">,
  { host, relayPort, proxyPort, strictProxyPort, ...options }: RelaysOptions,
): Promise<Relays> {
  const { reverse, forward, close } = createRelayServers(platform, options, caches)
  try {
    const relay = await reverse.listen({ port: relayPort, host })
    const proxy = await forward.listen({ port: proxyPort, host })
    const strict = await forward.listen({ port: strictProxyPort, host, challenges: true })
    return { ...relayAddresses(host, relay.port, proxy.port, strict.port), close }
  } catch (error) {
    await close()
    throw error
  }
}

export function relayAddresses(
  host: string,
  relayPort: number,
  proxyPort: number,
  strictProxyPort: number,
): Omit<Addresses, "url"> {
  const proxyUrl = urlOf(host, proxyPort)
  return {
    relayUrl: urlOf(host, relayPort),
    proxyUrl,
    strictProxyUrl: urlOf(host, strictProxyPort),
    caUrl: `${proxyUrl}/ca.pem`,
  }
}
