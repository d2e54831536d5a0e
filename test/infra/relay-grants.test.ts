import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { type IncomingMessage, request as requestPlain } from "node:http"
import { createServer, request as requestTls, type Server } from "node:https"
import { text } from "node:stream/consumers"
import { connect as connectTls } from "node:tls"
import type { App } from "@sealway/accounts"
import { createService } from "@sealway/api"
import { createPlatform, type Platform, withoutSmallerParts } from "@sealway/http"
import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { createApp, createTeam, issueApiKey } from "@sealway/management"
import { type AwsCall, QUEUES, TABLES } from "@sealway/ports"
import { SYSTEM } from "@sealway/records"
import { RELAY_SERVING_GRANTS } from "@sealway/relay-proxy/lambda"
import { startFunction, startRelayContainer } from "@sealway/relay-proxy/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { exchange } from "../relay/raw-exchange.ts"
import { grantOfCall } from "../support/grant-of-call.ts"
import { LAMBDA_CONTEXT, proxyEvent } from "../support/proxy-event.ts"
import { createSelfSigned, type KeyPair } from "../support/self-signed.ts"
import { withSealedSubjects } from "../support/with-subjects.ts"

const SECRET = "0123456789abcdef".repeat(4)
/** Nothing listens there. */
const RECEIVER = "http://127.0.0.1:9/"

let cloud: EmbeddedCloud
let destination: Server
let keys: KeyPair
let calls: AwsCall[] = []

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  await ensureStageKey(cloud)
  keys = createSelfSigned("IP:127.0.0.1")
  const tls = { key: keys.privateKey, cert: keys.certificate, requestCert: true, rejectUnauthorized: false }
  destination = createServer(tls, async (request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(await text(request))
  }).listen(0, "127.0.0.1")
  await once(destination, "listening")
})
afterAll(async () => {
  destination.closeAllConnections()
  destination.close()
  await cloud.close()
})

function newPlatform(onCall?: (call: AwsCall) => void): Platform {
  const { configuration, clients } = createCloudClients(cloud, onCall && { onCall })
  return createPlatform(configuration, clients)
}

/** Starts a process with cold caches whose AWS calls are counted. */
const coldPlatform = () => newPlatform((call) => calls.push(call))

/** An app with a relay that has an alert and a client certificate, and bodies to send through it. */
interface ServedApp {
  readonly app: App
  readonly apiKey: string
  readonly relayDomain: string
  readonly bodies: {
    /** With a value that is sealed under a role which was never used. */
    readonly sealed: string
    /** With a value that a policy with a budget permits to open. */
    readonly opened: string
    /** With a value that no policy permits to open. */
    readonly refused: string
  }
}

async function prepare(): Promise<ServedApp> {
  const platform = newPlatform()
  const service = createService(platform)
  const team = await createTeam(platform, "Team", SYSTEM)
  const app = await createApp(
    platform,
    team.id,
    { name: "App", environment: "sandbox", custody: "hsm" },
    SYSTEM,
  )
  const owner = { teamId: team.id, appId: app.id, name: "Key", expiresAt: null }
  const { key: apiKey } = await issueApiKey(platform, { ...owner, kind: "sandbox", scopes: ["*"] }, SYSTEM)
  const call = async (id: string, body: unknown, headers = {}, pathParameters = {}): Promise<unknown> => {
    const served = service.endpoints.find(({ endpoint }) => endpoint.id === id)
    if (served === undefined) throw new Error(`There is no endpoint ${id}`)
    const { method, path } = served.endpoint
    const own = { "content-type": "application/json", "api-key": apiKey, "idempotency-key": randomUUID() }
    const request = {
      method,
      path,
      pathParameters,
      headers: { ...own, ...headers },
      body: JSON.stringify(body),
    }
    const { statusCode = 500, body: answer = "" } = await served.handler(proxyEvent(request), LAMBDA_CONTEXT)
    if (statusCode >= 300) throw new Error(`${id} answers ${statusCode}: ${answer}`)
    return answer.startsWith("ev:") ? answer : JSON.parse(answer)
  }
  // So that events are published.
  await call("create-webhook-endpoint", { url: RECEIVER, events: ["*"] })
  for (const [slug, conditions] of Object.entries({
    fresh: {},
    budgeted: { budget: { values: 10, per: "hour" } },
    closed: { sources: ["api"] },
  })) {
    await call("create-data-role", { slug, name: slug })
    await call("create-data-policy", { name: slug, effect: "permit", roles: [slug], conditions })
  }
  const tokenOf = (role: string) => call("encrypt", "4242", { "x-service-data-role": role })
  const [budgeted, closed] = [await tokenOf("budgeted"), await tokenOf("closed")]
  const relay = await call("create-relay", {
    destinationDomain: `127.0.0.1:${portOf(destination)}`,
    clientCertificate: { format: "pem", ...createSelfSigned("DNS:client.example.com") },
    routes: [
      {
        path: "/**",
        request: [
          { action: "encrypt", selections: [{ type: "json", selector: "$.card", role: "fresh" }] },
          { action: "decrypt", selections: [{ type: "json", selector: "$.token" }] },
        ],
      },
    ],
  })
  const { id, relayDomain } = z.object({ id: z.string(), relayDomain: z.string() }).parse(relay)
  await call("create-relay-alert", { type: "webhook", url: RECEIVER }, {}, { relay_id: id })
  await service.flush()
  const [sealed, opened, refused] = [{ card: "4242" }, { token: budgeted }, { token: closed }].map((body) =>
    JSON.stringify(body),
  )
  if (sealed === undefined || opened === undefined || refused === undefined) throw new Error("No bodies")
  return { app, apiKey, relayDomain, bodies: { sealed, opened, refused } }
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("It does not listen on a port")
  return address.port
}

/** Returns what CloudFront passes on. */
const told = ({ relayDomain, app, apiKey }: ServedApp) => ({
  "x-relay-origin-secret": SECRET,
  "x-forwarded-host": relayDomain,
  "x-service-app-id": app.id,
  "x-service-api-key": apiKey,
  "x-relay-viewer-ip": "203.0.113.9",
  "x-relay-target": "/pay",
  "content-type": "application/json",
})

const made = () => withoutSmallerParts([...new Set(calls.map(grantOfCall))]).sort()

/** What becomes of the three bodies: sealed and sent back, opened and sent back, refused. */
const OUTCOMES = {
  sealed: { status: 200, body: expect.stringMatching(/^{"card":"ev:/) },
  opened: { status: 200, body: '{"token":"4242"}' },
  refused: { status: 403, body: expect.stringContaining("decrypt/forbidden") },
}

describe("the AWS calls of what passes requests through relays are exactly those that its role allows", () => {
  test("in the function", async () => {
    const served = await prepare()
    calls = []
    const { ask, close } = startFunction(coldPlatform(), { originSecret: SECRET, trust: [keys.certificate] })
    for (const each of ["sealed", "opened", "refused"] as const) {
      const { head, body } = await ask({ headers: told(served), body: served.bodies[each] })
      expect({ status: head.statusCode, body }).toEqual(OUTCOMES[each])
    }
    await close()
    expect(withSealedSubjects(made())).toEqual(RELAY_SERVING_GRANTS.toSorted())
  })

  test("in the container, which also stores the authority of its certificates", async () => {
    const served = await prepare()
    const { bodies, app, apiKey } = served
    calls = []
    const container = await startRelayContainer({
      platform: coldPlatform(),
      settings: { originSecret: SECRET, originPort: 0, proxyPort: 0, strictProxyPort: 0, healthPort: 0 },
      trust: [keys.certificate],
      host: "127.0.0.1",
      lingerMs: 0,
    })
    const at = { host: "127.0.0.1", method: "POST", agent: false } as const
    for (const each of ["sealed", "opened", "refused"] as const) {
      const headers = { host: "origin.relay.localhost", ...told(served) }
      const request = requestTls({ ...at, port: container.originPort, headers, rejectUnauthorized: false })
      expect(await answerTo(request.end(bodies[each]))).toEqual(OUTCOMES[each])
    }
    const host = `127.0.0.1:${portOf(destination)}`
    const authorization = `Basic ${Buffer.from(`${app.id}:${apiKey}`).toString("base64")}`
    const connecting = requestPlain({
      host: "127.0.0.1",
      port: container.proxyPort,
      method: "CONNECT",
      path: host,
      headers: { "proxy-authorization": authorization },
    }).end()
    const [, tunnel] = await once(connecting, "connect")
    const secured = connectTls({ socket: tunnel, rejectUnauthorized: false })
    await once(secured, "secureConnect")
    const head = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`
    const { opened } = bodies
    const sent = `${head}Content-Length: ${opened.length}\r\n\r\n${opened}`
    expect(await exchange(secured, sent)).toMatchObject(OUTCOMES.opened)
    secured.destroy()
    await container.close()
    expect(withSealedSubjects(made())).toEqual([...RELAY_SERVING_GRANTS, "kms:Encrypt"].sort())
  })
})

async function answerTo(request: NodeJS.EventEmitter): Promise<{ status: number; body: string }> {
  const [response]: IncomingMessage[] = await once(request, "response")
  if (response === undefined) throw new Error("There is no answer")
  return { status: response.statusCode ?? 0, body: await text(response) }
}
