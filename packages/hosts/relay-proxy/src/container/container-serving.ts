import type { Platform } from "@sealway/http"
import { KB } from "@sealway/kernel"
import { createRelayAuthority } from "../authority/relay-authority.ts"
import { behindCloudFront } from "../edge/behind-cloudfront.ts"
import { createForwardProxy, FORWARD_PROXY_LIMITS, type ForwardProxy } from "../forward/forward-proxy.ts"
import { createRelayServer } from "../server/relay-server.ts"
import { createRelayServing, type RelayServingOptions } from "../serving.ts"
import type { ContainerSettings } from "./container-settings.ts"
import { createSecureListener, type SecureListener } from "./secure-listener.ts"

export interface ContainerServingOptions extends Pick<RelayServingOptions, "trust" | "memory"> {
  readonly platform: Platform
  readonly settings: Pick<ContainerSettings, "originSecret">
}

/** The servers of the container, which do not listen by themselves. */
export interface ContainerServing {
  /** Receives requests through CloudFront, over TLS, which carry the origin secret. */
  readonly origin: Pick<SecureListener, "listen" | "serve">
  readonly proxy: Pick<ForwardProxy, "listen" | "serve">
  /** Lets exchanges end, and writes everything held in memory. */
  close(): Promise<void>
}

export const CONTAINER_LIMITS = {
  ...FORWARD_PROXY_LIMITS,
  /** CloudFront accepts 32 KiB and adds headers, one of them as long as the target. */
  maxHeaderBytes: 48 * KB,
  /** The time that Fargate waits, less the time to linger and to write. */
  drainTimeoutMs: 100_000,
}

/** @throws Error when the configuration does not say where relays are served */
export function createContainerServing({
  platform,
  settings,
  trust = [],
  memory,
}: ContainerServingOptions): ContainerServing {
  const { log, apiKeyUses, configTable, relay } = platform
  if (relay === null) throw new Error("The configuration has no relay domain")
  const serving = createRelayServing(platform, { trust, ...(memory && { memory }) })
  const authority = createRelayAuthority({ ...platform, table: configTable })
  const proxy = createForwardProxy({
    handler: serving.handler,
    authority,
    relays: serving.relays,
    apiKeyUses,
    log,
    identity: platform,
    names: [`proxy.${relay.domain}`],
    challengingNames: [`strict.${relay.domain}`],
    limits: CONTAINER_LIMITS,
  })
  const reverse = createRelayServer({
    handler: behindCloudFront(serving.handler, settings.originSecret),
    log,
    limits: CONTAINER_LIMITS,
  })
  const secureContext = () => authority.secureContext([`origin.${relay.domain}`], null)
  const origin = createSecureListener({ server: reverse, secureContext, limits: CONTAINER_LIMITS, log })
  return {
    origin,
    proxy,
    async close() {
      await Promise.all([origin.close(), proxy.close()])
      await serving.close()
    },
  }
}
