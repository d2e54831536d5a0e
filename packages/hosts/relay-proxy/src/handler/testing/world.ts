import { Readable } from "node:stream"
import {
  type ApiKeyRecord,
  createApiKey,
  type Directory,
  hashApiKey,
  NO_CHOSEN_LIMITS,
} from "@sealway/accounts"
import { NO_LIMITS, TEST_APP } from "@sealway/accounts/testing"
import type { MemoryBudget } from "@sealway/http/ingress"
import type { RawHeaders } from "@sealway/kernel"
import type { AccessRecord } from "@sealway/records"
import { NO_STATS } from "@sealway/records/testing"
import type { Activity, Relay, ServedRelay } from "@sealway/relay"
import { createTestCiphers, TEST_RELAY } from "@sealway/relay/testing"
import { compileRelay } from "@sealway/relay-engine"
import type {
  InboundRequest,
  OutboundReply,
  Upstream,
  UpstreamReply,
  UpstreamRequest,
} from "../../exchange.ts"
import { HeldBody } from "../../held-body.ts"
import { RELAY_LIMITS } from "../../limits.ts"
import { createRelayHandler } from "../create-relay-handler.ts"

export const RELAY_DOMAIN = "relay.example.net"
export const HOST = `api-example-com.app-1.${RELAY_DOMAIN}`

const RELAY: Relay = { ...TEST_RELAY, relayDomain: HOST }

const CERTIFICATE: Relay["clientCertificate"] = {
  format: "pem",
  keyVersion: 1,
  sealed: Buffer.alloc(0),
  fingerprint: "aa",
  expiresAt: 0,
  subject: "CN=client",
}

/** The answer of a test destination. A text body is JSON. */
export interface TestReply {
  readonly status?: number
  readonly headers?: readonly string[]
  readonly body?: Buffer | Readable | string | null
  readonly trailers?: readonly string[]
}

export interface SentRequest extends UpstreamRequest {
  readonly bytes: Buffer | null
}

/** Creates a handler between a client and a destination that the test plays both. */
export async function createHandlerWorld(
  overrides: Partial<Relay> & {
    readonly hasCertificate?: boolean
    readonly memory?: MemoryBudget
    /** Default: one that gives requests to `answer`. */
    readonly upstream?: Pick<Upstream, "send">
  } = {},
  answer: (request: SentRequest) => TestReply | Promise<TestReply> = () => ({ body: "{}" }),
) {
  const { hasCertificate = false, memory, upstream: other, ...changes } = overrides
  const relay: Relay = { ...RELAY, clientCertificate: hasCertificate ? CERTIFICATE : null, ...changes }
  const ciphers = await createTestCiphers()
  const keys = new Map<string, ApiKeyRecord>()
  const addKey = (changed: Partial<ApiKeyRecord> = {}, kind: ApiKeyRecord["kind"] = "sandbox") => {
    const key = createApiKey(kind)
    const hash = hashApiKey(key)
    keys.set(hash, {
      id: `key_${keys.size}`,
      name: "",
      hash,
      kind,
      teamId: TEST_APP.teamId,
      appId: kind === "team" ? null : TEST_APP.id,
      scopes: ["*"],
      limits: NO_CHOSEN_LIMITS,
      createdAt: 0,
      expiresAt: null,
      revokedAt: null,
      revision: 1,
      ...changed,
    })
    return key
  }
  const otherApp = { ...TEST_APP, id: "app_2" }
  const directory: Directory = {
    team: async () => null,
    app: async (id) => [TEST_APP, otherApp].find((app) => app.id === id) ?? null,
    apiKey: async (hash) => keys.get(hash) ?? null,
    apiKeyById: async (_owner, id) => [...keys.values()].find((key) => key.id === id) ?? null,
    session: async () => null,
    forgetSession: () => undefined,
    roster: async () => null,
  }
  const served: ServedRelay = {
    relay,
    app: TEST_APP,
    compiled: compileRelay(relay),
    clientCertificate: async () =>
      hasCertificate
        ? {
            id: "relay_1/aa",
            certificate: { format: "pem", certificate: "c", privateKey: "k", password: null },
          }
        : null,
  }
  const sent: SentRequest[] = []
  const activities: Activity[] = []
  const noted: string[] = []
  const accessed: AccessRecord[] = []
  const logged: unknown[] = []
  const warned: unknown[] = []
  const refused: unknown[] = []
  const upstream = {
    async send(request: UpstreamRequest): Promise<UpstreamReply> {
      const { body: given, onReleased } = request
      const each = { ...request, bytes: await bytesOf(given instanceof HeldBody ? given.read() : given) }
      if (given instanceof HeldBody) given.letGo()
      sent.push(each)
      const {
        status = 200,
        headers,
        body = null,
        trailers = [],
      } = await (async () => answer(each))().finally(onReleased)
      const isText = typeof body === "string"
      return {
        status,
        statusMessage: "Fine",
        rawHeaders: headers ?? (isText ? ["Content-Type", "application/json"] : []),
        body: isText ? Buffer.from(body) : body,
        trailers: () => trailers,
      }
    },
  }
  let nowMs = 0
  const handler = createRelayHandler({
    relays: {
      byDomain: async (host) => (host === relay.relayDomain ? served : null),
      byDestination: async (appId, host, port) =>
        appId === relay.appId && host === relay.destination.host && port === relay.destination.port
          ? served
          : null,
    },
    relayDomain: RELAY_DOMAIN,
    upstream: other ?? upstream,
    observer: { finished: (_, { activity }) => activities.push(activity()) },
    directory,
    keyring: ciphers.keyring,
    dataRoles: ciphers.dataRoles,
    audit: ciphers.audit,
    accessLog: { record: (record) => void accessed.push(record) },
    apiKeyUses: { note: async ({ id }) => void noted.push(id) },
    limiter: NO_LIMITS,
    log: {
      info: (_, fields) => refused.push(fields),
      warn: (_, fields) => warned.push(fields),
      error: (_, fields) => logged.push(fields),
    },
    stats: NO_STATS,
    now: () => nowMs++,
    wallClock: () => 1_700_000_000_000,
    limits: RELAY_LIMITS,
    ...(memory && { memory }),
  })

  async function send(
    request: Partial<Omit<InboundRequest, "body">> & { body?: InboundRequest["body"] | string },
  ) {
    const { body = null, ...rest } = request
    const bytes = typeof body === "string" ? Buffer.from(body) : body
    const reply = await handler({
      id: "request_1",
      mode: "reverse",
      method: "POST",
      target: "/",
      scheme: "https",
      host: HOST,
      port: null,
      rawHeaders: ["Host", HOST, "Content-Type", "application/json"],
      contentLength: Buffer.isBuffer(bytes) ? bytes.length : null,
      refusal: null,
      trailers: () => [],
      ip: "192.0.2.1",
      signal: new AbortController().signal,
      credentials: null,
      ...rest,
      body: bytes,
    })
    return { ...reply, ...(await readReply(reply)) }
  }
  return {
    ...ciphers,
    relay,
    addKey,
    otherApp,
    sent,
    activities,
    noted,
    accessed,
    logged,
    warned,
    refused,
    handler,
    send,
  }
}

/** Returns a header's value, by a name in lower case. */
export function headerIn(rawHeaders: RawHeaders | undefined, name: string): string | undefined {
  const at = rawHeaders?.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name) ?? -1
  return at === -1 ? undefined : rawHeaders?.[at + 1]
}

async function readReply(reply: OutboundReply) {
  const bytes = await bytesOf(reply.body).catch(() => null)
  return {
    bytes,
    text: bytes?.toString() ?? null,
    code: headerIn(reply.rawHeaders, "x-service-error-code") ?? null,
  }
}

async function bytesOf(body: Buffer | Readable | null): Promise<Buffer | null> {
  if (!(body instanceof Readable)) return body
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}
