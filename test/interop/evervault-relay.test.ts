import type { Agent } from "node:https"
import https, { type RequestOptions } from "node:https"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { createSelfSigned } from "../support/self-signed.ts"
import { useService } from "../support/service.ts"

/** The parts of the client used here: https://www.npmjs.com/package/@evervault/sdk */
interface Client {
  encrypt(data: unknown): Promise<unknown>
  enableOutboundRelay(options?: { readonly decryptionDomains?: readonly string[] }): Promise<void>
  disableOutboundRelay(): void
  createRelayHttpsAgent(): Agent
}
type ClientClass = new (appId: string, apiKey: string) => Client

const { privateKey: key, certificate: cert } = createSelfSigned("DNS:localhost")
const service = useService("container", { trust: [cert] })
const received: string[] = []
/** An API that knows nothing of Sealway. */
const destination = https.createServer({ key, cert }, async (request, response) => {
  received.push(Buffer.concat(await Array.fromAsync(request)).toString())
  response.setHeader("content-type", "application/json").end('{"id": "ch_1", "last4": "4242"}')
})
let port: number
let load: () => Client

beforeAll(async () => {
  await new Promise<void>((resolve) => destination.listen(0, "localhost", resolve))
  port = (destination.address() as AddressInfo).port
  const relay = await service.post("/relays", {
    destinationDomain: `localhost:${port}`,
    routes: [
      {
        method: "POST",
        path: "/charges",
        request: [{ action: "decrypt", selections: [{ type: "json", selector: "$.card" }] }],
        response: [{ action: "encrypt", selections: [{ type: "json", selector: "$.last4" }] }],
      },
    ],
  })
  expect(relay.status, relay.text).toBe(201)
  // The client reads the addresses when it is loaded.
  vi.stubEnv("EV_API_URL", service.url)
  vi.stubEnv("EV_CERT_HOSTNAME", service.service.caUrl)
  load = () => {
    const require = createRequire(import.meta.url)
    for (const file of Object.keys(require.cache)) if (file.includes("@evervault")) delete require.cache[file]
    const Loaded = require("@evervault/sdk") as ClientClass
    return new Loaded(service.sandbox.auth.user, service.sandbox.auth.key)
  }
})
afterAll(() => destination.close())

describe("@evervault/sdk", () => {
  test.each(["http", "https"])(
    "sends requests for destinations through the proxy, by enableOutboundRelay (%s)",
    async (scheme) => {
      vi.stubEnv("EV_TUNNEL_HOSTNAME", service.service.proxyUrl.replace(/^http/, scheme))
      const direct = https.request
      const sdk = load()
      await sdk.enableOutboundRelay()
      try {
        const headers = { "content-type": "application/json" }
        const charge = { method: "POST", headers }
        const card = await sdk.encrypt("4242424242424242")
        for (const args of [
          [`https://localhost:${port}/charges`, { ...charge }],
          [{ hostname: "localhost", port, path: "/charges", ...charge }],
        ] as const) {
          const answer = await send(args, JSON.stringify({ card }))
          expect(answer).toMatchObject({
            status: 200,
            body: { id: "ch_1", last4: expect.stringMatching(/^ev:/) },
          })
          expect(received.pop()).toBe('{"card":"4242424242424242"}')
        }
      } finally {
        sdk.disableOutboundRelay()
        https.request = direct
      }
    },
  )

  test("sends requests through the proxy by the agent of createRelayHttpsAgent", async () => {
    vi.stubEnv("EV_TUNNEL_HOSTNAME", service.service.proxyUrl.replace(/^http/, "https"))
    const sdk = load()
    const agent = sdk.createRelayHttpsAgent()
    const card = await sdk.encrypt("4242424242424242")
    const headers = { "content-type": "application/json" }
    const options = { method: "POST", headers, agent }
    const answer = await send([`https://localhost:${port}/charges`, options], JSON.stringify({ card }))
    expect(answer).toMatchObject({ status: 200, body: { id: "ch_1", last4: expect.stringMatching(/^ev:/) } })
    expect(received.pop()).toBe('{"card":"4242424242424242"}')
  })
})

describe("GET /v2/relay-outbound", () => {
  test("lists the destinations of the key's app, and when to ask again", async () => {
    const { user, key } = service.sandbox.auth
    const answer = await service.get("/v2/relay-outbound", { auth: null, headers: { "api-key": key } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get("x-poll-interval")).toBe("5")
    const id = expect.stringMatching(/^relay_/)
    expect(answer.json).toEqual({
      teamUuid: service.team.id,
      appUuid: user,
      outboundDestinations: {
        [`localhost:${port}`]: { id, destinationDomain: `localhost:${port}` },
        localhost: { id, destinationDomain: "localhost" },
      },
    })
    const other = await service.get("/v2/relay-outbound", { auth: service.production.auth })
    expect(other.json).toMatchObject({ appUuid: service.production.app.id, outboundDestinations: {} })
  })

  test("is refused with unauthorized without a key", async () => {
    const answer = await service.get("/v2/relay-outbound", { auth: null })
    expect(answer.status).toBe(401)
    expect(answer.json).toMatchObject({ code: "unauthorized" })
  })
})

function send(
  args: readonly [string, RequestOptions] | readonly [RequestOptions],
  body: string,
): Promise<{ readonly status: number | undefined; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = args.length === 1 ? https.request(args[0]) : https.request(...args)
    sent.on("error", reject)
    sent.on("response", async (response) => {
      const text = Buffer.concat(await Array.fromAsync(response)).toString()
      resolve({ status: response.statusCode, body: JSON.parse(text) })
    })
    sent.setHeader("content-length", Buffer.byteLength(body))
    sent.end(body)
  })
}
