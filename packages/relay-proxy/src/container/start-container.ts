import { setTimeout as sleep } from "node:timers/promises"
import { KB } from "@sealway/kernel"
import type { Platform } from "@sealway/platform"
import { createRelayAuthority } from "../authority/relay-authority.ts"
import { behindCloudFront } from "../edge/behind-cloudfront.ts"
import { createForwardProxy, FORWARD_PROXY_LIMITS } from "../forward/forward-proxy.ts"
import { createRelayServer } from "../server/relay-server.ts"
import { createRelayServing, type RelayServingOptions } from "../serving.ts"
import type { ContainerSettings } from "./container-settings.ts"
import { type HealthServer, startHealthServer } from "./health-server.ts"
import { type SecureListener, startSecureListener } from "./secure-listener.ts"

export interface ContainerOptions extends Pick<RelayServingOptions, "trust"> {
  readonly platform: Platform
  readonly settings: ContainerSettings
  /** Default: every interface, of IPv4. */
  readonly host?: string
  /** How long it goes on when it is to stop, for load balancers to notice. Default: 5,000. */
  readonly lingerMs?: number
}

/** The ports that it listens on, and its end. */
export interface RelayContainer {
  readonly originPort: number
  readonly proxyPort: number
  readonly healthPort: number
  /** Says that it is no longer there, lets exchanges end, writes what is kept, and frees the ports. */
  close(): Promise<void>
}

const LINGER_MS = 5_000

const LIMITS = {
  ...FORWARD_PROXY_LIMITS,
  /** What CloudFront takes is 32 KiB; it adds headers, one of them as long as the target. */
  maxHeaderBytes: 48 * KB,
  /** As long as Fargate waits, less the time to linger and to write. */
  drainTimeoutMs: 100_000,
}

/**
 * Serves relays as the container does: requests by way of CloudFront, over TLS, which show the origin secret; a forward
 * proxy; and whether it is well.
 *
 * @throws Error when the configuration does not say where relays are served, or a port is taken
 */
export async function startRelayContainer(options: ContainerOptions): Promise<RelayContainer> {
  const { platform, settings, host = "0.0.0.0", lingerMs = LINGER_MS, trust = [] } = options
  const { log, apiKeyUses, configTable, relay } = platform
  if (relay === null) throw new Error("The configuration does not say where relays are served")
  const serving = createRelayServing(platform, { trust })
  const authority = createRelayAuthority({ ...platform, table: configTable })
  const forward = createForwardProxy({
    ...{ handler: serving.handler, authority, relays: serving.relays, apiKeyUses, log },
    identity: platform,
    names: [`proxy.${relay.domain}`],
    limits: LIMITS,
  })
  const reverse = createRelayServer({
    handler: behindCloudFront(serving.handler, settings.originSecret),
    log,
    limits: LIMITS,
  })
  const secureContext = () => authority.secureContext([`origin.${relay.domain}`], null)
  let origin: SecureListener | null = null
  let health: HealthServer | null = null
  /** Whoever asks after it hears that it is going while the last exchanges end. */
  const stop = async () => {
    await Promise.all([origin?.close() ?? reverse.close(), forward.close()])
    await health?.close()
    await serving.close()
  }
  try {
    origin = await startSecureListener(
      { server: reverse, secureContext, limits: LIMITS, log },
      { port: settings.originPort, host },
    )
    const { port: proxyPort } = await forward.listen({ port: settings.proxyPort, host })
    const state = await startHealthServer({ port: settings.healthPort, host })
    health = state
    return {
      originPort: origin.port,
      proxyPort,
      healthPort: state.port,
      async close() {
        state.retire()
        await sleep(lingerMs)
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
