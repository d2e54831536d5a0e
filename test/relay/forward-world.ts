import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { connect as connectTcp, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls"
import type { App, Environment } from "@sealway/accounts"
import { createPlatform, type Platform } from "@sealway/http"
import { createId } from "@sealway/kernel"
import { createCloudClients, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { createFirstApps, issueFirstKeys } from "@sealway/management"
import { QUEUES, TABLES } from "@sealway/ports"
import type { Relay } from "@sealway/relay"
import { createRelayDirectory, type RelayDirectory } from "@sealway/relay"
import { parseDestination } from "@sealway/relay/files"
import { createRelay, TEST_RELAY } from "@sealway/relay/testing"
import { createForwardProxy, createRelayAuthority } from "@sealway/relay-proxy"
import type {
  ForwardProxy,
  ForwardProxyLimits,
  InboundRequest,
  RelayAuthority,
  RelayHandler,
} from "@sealway/relay-proxy/testing"
import { problemReply } from "@sealway/relay-proxy/testing"
import { exchange, type RawAnswer } from "./raw-exchange.ts"

export interface Credentials {
  readonly user: string
  readonly key: string
}

export interface Identity {
  readonly app: App
  readonly auth: Credentials
}

/** A forward proxy over a whole service. Requests that pass are answered with what arrived. */
export interface ForwardWorld {
  readonly platform: Platform
  readonly sandbox: Identity
  readonly production: Identity
  readonly team: Credentials
  readonly authority: RelayAuthority
  readonly relays: RelayDirectory
  readonly proxy: ForwardProxy
  readonly port: number
  readonly url: string
  /** Refuses every CONNECT without credentials. So does `port` for clients that send `strict.localhost` in TLS. */
  readonly strictPort: number
  /** PEM of the deployment's root. */
  readonly ca: string
  /** The file of `ca`. */
  readonly caFile: string
  /** Requests that passed. */
  readonly seen: InboundRequest[]
  /** Logged lines. */
  readonly logged: string[]
  addRelay(app: App, destinationDomain: string): Promise<void>
  /** Opens a connection to the proxy. @param port default: `port` */
  open(port?: number): Promise<Socket>
  /** Sends a CONNECT request, and reads the head and the body of its answer. */
  connect(target: string, headers?: readonly string[], on?: Socket): Promise<RawAnswer>
  /** Starts TLS in an open tunnel, with a server name and trust in the deployment's root. */
  secure(tunnel: Socket, servername: string, options?: ConnectionOptions): Promise<TLSSocket>
  close(): Promise<void>
}

export const basic = ({ user, key }: Credentials) =>
  `Basic ${Buffer.from(`${user}:${key}`).toString("base64")}`

/** Starts an embedded cloud, a platform on it, and the proxy. */
export async function startForwardWorld(limits: Partial<ForwardProxyLimits> = {}): Promise<ForwardWorld> {
  const cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  const { configuration, clients } = createCloudClients(cloud)
  await ensureStageKey(cloud)
  const platform = createPlatform(configuration, clients)
  const first = await issueFirstKeys(platform, await createFirstApps(platform))
  const identify = async (environment: Environment): Promise<Identity> => {
    const found = first.apps.find((each) => each.environment === environment)
    const app = found && (await platform.directory.app(found.id))
    if (!found || !app) throw new Error(`There is no ${environment} app`)
    return { app, auth: { user: app.id, key: found.apiKey } }
  }

  const seen: InboundRequest[] = []
  const logged: string[] = []
  const sockets = new Set<Socket>()
  const echo: RelayHandler = async (request) => {
    const { refusal } = request
    if (refusal !== null) return problemReply(refusal.code, refusal.message, { mode: request.mode })
    seen.push(request)
    const { mode, method, target, host, port, credentials, ip } = request
    const shown = { mode, method, target, host, port, credentials, ip, body: await readBody(request) }
    return {
      status: 200,
      statusMessage: null,
      rawHeaders: ["Content-Type", "application/json"],
      body: Buffer.from(JSON.stringify(shown)),
      trailers: () => [],
    }
  }
  const { configTable, keyring, directory, apiKeyUses, now } = platform
  const authority = createRelayAuthority({ ...platform, table: configTable })
  const relays = createRelayDirectory({
    configTable,
    directory,
    keyring,
    now,
    relayDomain: "relay.localhost",
  })
  const write = (message: string) => void logged.push(message)
  const log = { warn: write, error: write }
  const proxy = createForwardProxy({
    handler: echo,
    authority,
    relays,
    apiKeyUses,
    limits,
    log,
    identity: platform,
    challengingNames: ["strict.localhost"],
  })
  const { port: strictPort } = await proxy.listen({ port: 0, host: "127.0.0.1", challenges: true })
  const { port, url } = await proxy.listen({ port: 0, host: "127.0.0.1" })
  const folder = await mkdtemp(join(tmpdir(), "forward-"))
  const ca = await authority.rootChain()
  const caFile = join(folder, "ca.pem")
  await writeFile(caFile, ca)

  async function open(to = port): Promise<Socket> {
    const socket = connectTcp(to, "127.0.0.1")
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    await once(socket, "connect")
    return socket
  }

  return {
    platform,
    authority,
    relays,
    proxy,
    port,
    url,
    strictPort,
    ca,
    caFile,
    seen,
    logged,
    open,
    sandbox: await identify("sandbox"),
    production: await identify("production"),
    team: { user: first.teamId, key: first.teamKey },
    async addRelay({ id: appId, teamId }, destinationDomain) {
      const parsed = parseDestination(destinationDomain, { allowPrivate: true })
      if (!parsed.ok) throw new Error(parsed.reason)
      const { destination } = parsed
      const relay: Relay = {
        ...TEST_RELAY,
        id: createId("relay", platform.wallClock()),
        teamId,
        appId,
        destinationDomain,
        destination,
        relayDomain: `some.${appId}.relay.localhost`,
        createdAt: platform.wallClock(),
        updatedAt: platform.wallClock(),
        revision: platform.wallClock(),
      }
      if (!(await createRelay(configTable, relay))) throw new Error("The app has such a relay")
      relays.forget(relay, [])
    },
    async connect(target, headers = [], on) {
      const socket = on ?? (await open())
      const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`, ...headers, "", ""]
      return exchange(socket, lines.join("\r\n"))
    },
    async secure(tunnel, servername, options = {}) {
      const secured = connectTls({ socket: tunnel, servername, ca, ...options })
      await new Promise((resolve, reject) => {
        secured.once("secureConnect", resolve)
        secured.once("error", reject)
        secured.once("close", () => reject(new Error("The tunnel is closed")))
      })
      return secured
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await proxy.close()
      clients.destroy()
      await cloud.close()
      await rm(folder, { recursive: true })
    },
  }
}

async function readBody({ body }: InboundRequest): Promise<string | null> {
  if (body === null || Buffer.isBuffer(body)) return body?.toString() ?? null
  let text = ""
  for await (const chunk of body) text += String(chunk)
  return text
}
