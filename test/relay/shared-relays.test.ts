import { once } from "node:events"
import { request } from "node:http"
import { connect as connectHttp2, constants } from "node:http2"
import { text } from "node:stream/consumers"
import type { App } from "@sealway/accounts"
import { deriveContentKey, InvalidTokenError, isAgreed, openToken, parseToken } from "@sealway/tokens"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { startDnsServer } from "../support/dns-server.ts"
import { idOf, newAppWithRole, policyOf } from "../support/policies.ts"
import { type RelayDestination, startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { basic, type CallOptions, useService } from "../support/service.ts"

const WORKERS = 2
const dns = await startDnsServer()
const service = useService("container", { workers: WORKERS, dnsServers: [dns.address] })

let destination: RelayDestination
beforeAll(async () => {
  destination = await startRelayDestination()
})
afterAll(async () => {
  await destination[Symbol.asyncDispose]()
  await dns.close()
})

const selections = [{ type: "json", selector: "$.card" }]
const routesThat = (action: "encrypt" | "decrypt") => [
  { method: null, path: "/**", request: [{ action, selections }], response: [] },
]

async function newRelay(options: CallOptions = {}, changes: object = {}) {
  const wanted = { destinationDomain: destination.destinationDomain, routes: [], ...changes }
  const { json, text: answer, status } = await service.post("/relays", wanted, options)
  expect(status, answer).toBe(201)
  return z.object({ id: z.string(), relayDomain: z.string() }).parse(json)
}

/** Sends as many requests as there are workers, each on a new connection: every worker gets one. */
async function askEach(relayDomain: string, card: unknown = "4242") {
  const headers = { "content-type": "application/json", connection: "close" }
  const answers: { readonly status: number; readonly json: unknown }[] = []
  for (let worker = 0; worker < WORKERS; worker++) {
    const { status, body } = await sendToRelay(service.service.relayUrl, {
      relayDomain,
      headers,
      body: JSON.stringify({ card }),
    })
    answers.push({ status, json: JSON.parse(body.toString() || "null") })
  }
  return answers
}

/** Returns whether a card that a relay has encrypted opens with a version of the app's keys. */
async function isSealedTo(app: App, version: number, json: unknown): Promise<boolean> {
  const token = parseToken(z.object({ card: z.string() }).parse(json).card)
  if (token === null || !isAgreed(token)) return false
  const { curve, ephemeralPublicKey } = token
  const { sharedSecret, publicKeys } = await service.service.platform.keyring.open(app, version, "private")
  const appPublicKey = publicKeys[curve]
  if (appPublicKey === null) return false
  const contentKey = deriveContentKey(token, await sharedSecret(curve, ephemeralPublicKey))
  try {
    return openToken(token, contentKey, appPublicKey).value.toString() === "4242"
  } catch (error) {
    if (error instanceof InvalidTokenError) return false
    throw error
  }
}

const statusesOf = async (...request: Parameters<typeof askEach>) =>
  (await askEach(...request)).map(({ status }) => status)
const each = <Value>(value: Value) => Array<Value>(WORKERS).fill(value)

describe("every worker sees at once", () => {
  test("a relay that is created, changed and deleted, after a request for it", async () => {
    const options = { auth: (await service.newApp("sandbox")).auth }
    const first = await newRelay(options)
    expect(await askEach(first.relayDomain)).toEqual(each({ status: 200, json: { card: "4242" } }))

    await service.patch(`/relays/${first.id}`, { routes: routesThat("encrypt") }, options)
    const sealed = { card: expect.stringMatching(/^ev:/) }
    expect(await askEach(first.relayDomain)).toEqual(each({ status: 200, json: sealed }))

    expect((await service.delete(`/relays/${first.id}`, options)).status).toBe(202)
    expect(await statusesOf(first.relayDomain)).toEqual(each(404))

    const second = await newRelay(options)
    expect(second.relayDomain).toBe(first.relayDomain)
    expect(await statusesOf(second.relayDomain)).toEqual(each(200))
  })

  test("a policy that is created and deleted", async () => {
    const { auth, role, token } = await newAppWithRole(service)
    const { relayDomain } = await newRelay({ auth }, { routes: routesThat("decrypt") })
    const card: unknown = JSON.parse(token)
    expect(await statusesOf(relayDomain, card)).toEqual(each(403))

    const policy = await service.post("/data-policies", policyOf(role), { auth })
    expect(await askEach(relayDomain, card)).toEqual(each({ status: 200, json: { card: "secret-value" } }))

    await service.delete(`/data-policies/${idOf(policy.json)}`, { auth })
    expect(await statusesOf(relayDomain, card)).toEqual(each(403))
  })

  test("a custom domain that is verified and deleted", async () => {
    const options = { auth: (await service.newApp("sandbox")).auth }
    const { id } = await newRelay(options)
    const name = "pay.customer.example"
    expect(await statusesOf(name)).toEqual(each(404))
    const { json } = await service.post(`/relays/${id}/custom-domains`, { domain: name }, options)
    const record = z.object({ type: z.string(), name: z.string(), value: z.string() })
    const domain = z.object({ id: z.string(), records: z.array(record) }).parse(json)
    for (const { type, name: owner, value } of domain.records) {
      dns.zone.set(owner, type === "CNAME" ? { CNAME: value } : { TXT: [value] })
    }
    await service.post(`/relays/${id}/custom-domains/${domain.id}/verify`, undefined, options)
    expect(await statusesOf(name)).toEqual(each(200))
    await service.delete(`/relays/${id}/custom-domains/${domain.id}`, options)
    expect(await statusesOf(name)).toEqual(each(404))
  })

  test("a rotation of an app's keys", async () => {
    const { app, auth } = await service.newApp("sandbox")
    const { relayDomain } = await newRelay({ auth }, { routes: routesThat("encrypt") })
    const areSealedTo = async (version: number) => {
      const answers = await askEach(relayDomain)
      return Promise.all(answers.map(({ json }) => isSealedTo(app, version, json)))
    }
    expect(await areSealedTo(1)).toEqual(each(true))
    await service.post(`/apps/${app.id}/keys/rotate`, undefined, { auth: service.team.auth })
    expect(await areSealedTo(2)).toEqual(each(true))
    const headers = { "idempotency-key": "rotation" }
    await service.post(`/apps/${app.id}/keys/rotate`, undefined, { auth: service.team.auth, headers })
    expect(await areSealedTo(3)).toEqual(each(true))
  })
})

describe("workers that share relays", () => {
  test("decrypt together no more values than a budget allows", async () => {
    const { auth, role, token } = await newAppWithRole(service)
    const conditions = { budget: { values: 5, per: "day" } }
    await service.post("/data-policies", policyOf(role, { conditions }), { auth })
    const { relayDomain } = await newRelay({ auth }, { routes: routesThat("decrypt") })
    const card: unknown = JSON.parse(token)
    const statuses = (
      await Promise.all(Array.from({ length: 6 }, () => statusesOf(relayDomain, card)))
    ).flat()
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
    expect(new Set(statuses)).toEqual(new Set([200, 403]))
  })

  test("are counted at GET /metrics: values, requests, refusals by code and times, each once", async () => {
    const sampleOf = async (line: string) => {
      const { text: metrics } = await service.get("/metrics", { auth: null })
      const found = metrics.split("\n").find((each) => each.startsWith(`${line} `))
      return Number(found?.split(" ")[1] ?? 0)
    }
    const lines = [
      "sealway_relay_requests_total",
      "sealway_values_encrypted_total",
      'sealway_refusals_total{code="proxy-authentication-required"}',
      "sealway_relay_request_duration_seconds_count",
    ]
    const valuesOf = async () => {
      const values: number[] = []
      for (const line of lines) values.push(await sampleOf(line))
      return values
    }
    const open = await newRelay({}, { routes: routesThat("encrypt") })
    const closed = await newRelay(
      { auth: (await service.newApp("sandbox")).auth },
      { authentication: "api-key" },
    )
    const before = await valuesOf()
    expect(await statusesOf(open.relayDomain)).toEqual(each(200))
    expect(await statusesOf(closed.relayDomain)).toEqual(each(401))
    const grown = (await valuesOf()).map((value, index) => value - (before[index] ?? 0))
    expect(grown).toEqual([2 * WORKERS, WORKERS, WORKERS, 2 * WORKERS])
    expect(await sampleOf("sealway_relay_request_duration_seconds_sum")).toBeGreaterThan(0)
  })

  test("have one certificate authority", async () => {
    const chains = await Promise.all(
      Array.from({ length: 2 * WORKERS }, async () => {
        const asked = request(service.service.caUrl, { agent: false }).end()
        const [answer] = await once(asked, "response")
        return text(answer)
      }),
    )
    expect(new Set(chains).size).toBe(1)
    expect(chains[0]).toContain("-----BEGIN CERTIFICATE-----")
  })

  test("accept requests of the forward proxy with an app's credentials, and refuse them without", async () => {
    const { app, auth } = await service.newApp("sandbox")
    expect(auth.user).toBe(app.id)
    await newRelay({ auth }, { routes: routesThat("encrypt") })
    const { port } = new URL(service.service.proxyUrl)
    const ask = async (headers: Record<string, string>) => {
      const asked = request({
        host: "127.0.0.1",
        port,
        method: "POST",
        agent: false,
        path: `${destination.destinationDomain}/`,
        headers: { host: "any", "content-type": "application/json", ...headers },
      }).end('{"card":"4242"}')
      const [answer] = await once(asked, "response")
      return [answer.statusCode, (await text(answer)).slice(0, 12)]
    }
    for (let worker = 0; worker < WORKERS; worker++) {
      expect(await ask({ "proxy-authorization": basic(auth) })).toEqual([200, '{"card":"ev:'])
      expect(await ask({})).toEqual([407, expect.any(String)])
    }
  })
})

test("workers refuse a WebSocket with upgrade-not-supported, and HTTP/2 without negotiation with a GOAWAY", async () => {
  const { relayDomain } = await newRelay({ auth: (await service.newApp("sandbox")).auth })
  const headers = { connection: "Upgrade", upgrade: "websocket" }
  const { status, headers: answered } = await sendToRelay(service.service.relayUrl, { relayDomain, headers })
  expect([status, answered["x-service-error-code"]]).toEqual([501, "upgrade-not-supported"])
  const session = connectHttp2(service.service.relayUrl)
  session.on("error", () => undefined)
  const [code] = await once(session, "goaway")
  session.destroy()
  expect(code).toBe(constants.NGHTTP2_HTTP_1_1_REQUIRED)
})
