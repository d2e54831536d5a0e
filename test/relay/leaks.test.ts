import { createPrivateKey } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:https"
import { type AddressInfo, connect } from "node:net"
import { connect as connectTls } from "node:tls"
import { startReceiver } from "@sealway/http/testing"
import { afterAll, expect, test, vi } from "vitest"
import * as z from "zod"
import { echo, startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { createSelfSigned } from "../support/self-signed.ts"
import { useService } from "../support/service.ts"
import { ATTEMPTS, CARD, MARKER, WRONG_KEY } from "./error-attempts.ts"
import { createErrorWorld } from "./error-world.ts"
import { exchange } from "./raw-exchange.ts"

const PASSWORD = "pass-7f3a"
const JSON_TYPE = { "content-type": "application/json" }
/** How often activity is written. */
const WRITE_EVERY_MS = 5_000

const server = createSelfSigned("IP:127.0.0.1")
const client = createSelfSigned("DNS:client.example.com")
const service = useService("container", { trust: [server.certificate], logLevel: "INFO" })

const destination = await startRelayDestination((request, response) => {
  const { target } = request
  if (target.startsWith("/broken")) response.destroy()
  else if (target.startsWith("/html")) response.writeHead(200, { "content-type": "text/html" }).end(MARKER)
  else echo(request, response)
})
/** Requires a certificate of its clients. */
const closed = createServer(
  { key: server.privateKey, cert: server.certificate, ca: client.certificate, requestCert: true },
  (request, response) => {
    if (request.url?.startsWith("/broken")) response.destroy()
    else request.pipe(response.setHeader("content-type", "application/json"))
  },
)
closed.listen(0, "127.0.0.1")
await once(closed, "listening")
const closedAuthority = `127.0.0.1:${(closed.address() as AddressInfo).port}`
afterAll(async () => {
  closed.closeAllConnections()
  closed.close()
  await destination[Symbol.asyncDispose]()
})

const relaySchema = z.object({ id: z.string(), relayDomain: z.string() })
const pageSchema = z.object({ data: z.array(z.object({ id: z.string() })) })
const alertSchema = z.object({ errorType: z.string() })

const encryptsCard = (path: string) => ({
  path,
  request: [
    {
      action: "encrypt",
      selections: [
        { type: "json", selector: "$.card" },
        { type: "header", selector: "X-Secret" },
      ],
    },
  ],
})

async function createRelay(settings: object) {
  const answer = await service.post("/relays", settings)
  expect(answer.status, answer.text).toBe(201)
  return relaySchema.parse(answer.json)
}

/** Sends bytes to one of the service's listeners, and resolves to the head and the body of the answer. */
async function tell(to: "relay" | "proxy", bytes: string): Promise<string> {
  const { relayUrl, proxyUrl } = service.service
  const socket = connect(Number(new URL(to === "relay" ? relayUrl : proxyUrl).port), "127.0.0.1")
  const { status, headers, body } = await exchange(socket, bytes)
  socket.destroy()
  expect(status).toBeGreaterThanOrEqual(400)
  return JSON.stringify(headers) + body
}

/** Sends bytes through a tunnel to `closed`. */
async function tellThroughTunnel(proxyAuthorization: string, bytes: string): Promise<string> {
  const { proxyUrl, caUrl } = service.service
  const ca = await (await fetch(caUrl)).text()
  const socket = connect(Number(new URL(proxyUrl).port), "127.0.0.1")
  const head = `CONNECT ${closedAuthority} HTTP/1.1\r\nHost: ${closedAuthority}\r\nProxy-Authorization: ${proxyAuthorization}\r\n\r\n`
  expect((await exchange(socket, head)).status).toBe(200)
  const tunnel = connectTls({ socket, ca, host: "127.0.0.1" })
  await once(tunnel, "secureConnect")
  const { status, headers, body } = await exchange(tunnel, bytes)
  tunnel.destroy()
  expect(status).toBeGreaterThanOrEqual(400)
  return JSON.stringify(headers) + body
}

test("leaves nothing of requests through relays in refusals, log lines, activity, alerts, events and audit records", async () => {
  const logged: string[] = []
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((chunk) => logged.push(String(chunk)) > 0)
  }
  vi.useFakeTimers({ toFake: ["performance"] })
  await using receiver = await startReceiver((_, response) => response.writeHead(200).end())
  const world = await createErrorWorld(service, destination.destinationDomain, MARKER + CARD)
  const { app, auth } = service.sandbox
  const lockedKey = createPrivateKey(client.privateKey).export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase: PASSWORD,
  })
  const clientCertificate = {
    format: "pem",
    certificate: client.certificate,
    privateKey: String(lockedKey),
    password: PASSWORD,
  }
  const mutual = await createRelay({
    destinationDomain: closedAuthority,
    routes: [encryptsCard("/**")],
    clientCertificate,
  })
  const watched = await createRelay({ destinationDomain: "http://127.0.0.1:2", leakWatch: "block" })
  const relayIds = [...world.relayIds, mutual.id, watched.id]
  for (const id of relayIds) {
    const alert = { type: "webhook", url: `${receiver.url}alert` }
    expect((await service.post(`/relays/${id}/alerts`, alert)).status).toBe(201)
  }
  await service.post("/webhook-endpoints", { url: `${receiver.url}endpoint`, events: ["*"] })

  const told: string[] = []
  for (const { code, to = "relay", bytes } of ATTEMPTS) {
    // It takes two minutes.
    if (code !== "request-timeout") told.push(await tell(to, bytes(world)))
  }
  const headers = {
    ...JSON_TYPE,
    "x-service-api-key": auth.key,
    "x-service-app-id": app.id,
    "x-secret": MARKER,
    cookie: `${MARKER}=${CARD}`,
    authorization: `Bearer ${MARKER}`,
  }
  const viaMutual = async (path: string, body: string) =>
    sendToRelay(service.service.relayUrl, { ...mutual, path: `${path}?${MARKER}`, headers, body })
  const passed = await viaMutual("/a", `{"card":"${MARKER}","other":"${MARKER}"}`)
  expect([passed.status, passed.body.toString()]).toEqual([200, expect.stringMatching(/"card":"ev:.*"/)])
  for (const refused of [
    await viaMutual("/broken", `{"card":"${MARKER}"}`),
    await viaMutual("/a", `{"card":${MARKER}}`),
    await sendToRelay(service.service.relayUrl, {
      ...watched,
      headers: JSON_TYPE,
      body: `{"other":"${CARD}"}`,
    }),
  ]) {
    expect(refused.status).toBeGreaterThanOrEqual(400)
    told.push(JSON.stringify(refused.headers) + refused.body.toString())
  }
  const inTunnel = (path: string, body: string) =>
    tellThroughTunnel(
      world.proxyAuthorization,
      `POST ${path}?${MARKER} HTTP/1.1\r\nHost: ${closedAuthority}\r\nX-Secret: ${MARKER}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  told.push(await inTunnel("/a", `{"card":${MARKER}}`), await inTunnel("/broken", `{"card":"${MARKER}"}`))
  for (const wrong of [{ password: "other" }, { privateKey: `${MARKER}${CARD}` }, { certificate: MARKER }]) {
    const refused = await service.patch(`/relays/${mutual.id}`, {
      clientCertificate: { ...clientCertificate, ...wrong },
    })
    expect(refused.status).toBe(400)
    told.push(refused.text)
  }

  vi.advanceTimersByTime(WRITE_EVERY_MS)
  await viaMutual("/a", "{}")
  vi.useRealTimers()
  const errorTypes = () =>
    receiver.received
      .filter(({ path }) => path === "/alert")
      .map(({ body }) => alertSchema.parse(JSON.parse(body)).errorType)
  await vi.waitFor(() => expect(new Set(errorTypes()).size).toBeGreaterThanOrEqual(12), 10_000)
  const seen: string[] = []
  for (const id of relayIds) {
    const activity = await vi.waitFor(async () => {
      const answer = await service.get(`/relays/${id}/activity?limit=100`)
      expect(pageSchema.parse(answer.json).data.length).toBeGreaterThan(0)
      return answer.text
    }, 10_000)
    seen.push(activity)
  }
  const events = await service.get("/webhook-events?limit=100")
  for (const { id } of pageSchema.parse(events.json).data) {
    seen.push((await service.get(`/webhook-events/${id}`)).text)
  }
  expect(seen.length).toBeGreaterThan(relayIds.length + 12)
  for (const path of ["/audit-logs?limit=100", "/relays?limit=100"]) {
    const answer = await service.get(path, path.startsWith("/audit") ? { auth: service.team.auth } : {})
    expect(answer.text).toContain(mutual.id)
    seen.push(answer.text)
  }
  vi.restoreAllMocks()

  const secrets = {
    MARKER,
    CARD,
    PASSWORD,
    WRONG_KEY,
    token: world.token,
    lockedToken: world.lockedToken,
    scopelessKey: world.scopelessKey,
    apiKey: auth.key,
    foreignKey: world.foreign.key,
    teamKey: service.team.auth.key,
    credentials: world.proxyAuthorization.replace("Basic ", ""),
    privateKey: client.privateKey.split("\n")[1] ?? "",
    lockedKey: String(lockedKey).split("\n")[1] ?? "",
  }
  const found = (texts: readonly string[]) =>
    Object.entries(secrets).flatMap(([name, secret]) =>
      texts.some((text) => text.includes(secret)) ? [name] : [],
    )
  expect(found(told)).toEqual([])
  expect(found(seen)).toEqual([])
  expect(found(receiver.received.map((each) => JSON.stringify(each)))).toEqual([])
  const refused = logged.flatMap((each) => each.match(/"request refused".*?"endpoint":"[^"]+"/g) ?? [])
  const ofRelays = refused.filter((each) => each.endsWith('"relay"'))
  expect(ofRelays.length).toBeGreaterThan(20)
  expect(refused.length - ofRelays.length).toBe(3)
  expect(found(logged)).toEqual([])
})
