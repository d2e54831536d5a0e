import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { createSecureContext } from "node:tls"
import {
  CONNECTOR_OPERATIONS,
  type ConnectorClientOptions,
  type ConnectorTarget,
  createCircuitBreaker,
  createConnectorClient,
} from "@sealway/payments/testing"
import { verifySignature } from "@sealway/webhooks"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type ConnectorCertificates, createConnectorCertificates } from "../support/connector-certificates.ts"

const SECRETS = [
  `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  `whsec_${Buffer.alloc(32, 2).toString("base64")}`,
]
const REQUEST = { number: "4242424242424242" }
const ANSWER = { paymentAccountReference: "A".repeat(29) }

interface ArrivedRequest {
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

type Reply = (response: ServerResponse, count: number) => void

const json =
  (value: unknown): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value))
  }

let certificates: ConnectorCertificates
let reply: Reply = json(ANSWER)
const arrived: ArrivedRequest[] = []
let url = ""
let server: ReturnType<typeof createServer>

beforeAll(async () => {
  certificates = createConnectorCertificates()
  const { authority, server: pair } = certificates
  const tls = { key: pair.privateKey, cert: pair.certificate, ca: authority, requestCert: true }
  server = createServer({ ...tls, rejectUnauthorized: true }, async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync<Buffer>(request))
    arrived.push({ url: request.url ?? "", headers: request.headers, body })
    reply(response, arrived.length)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/connector`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function targetOf(changes: Partial<ConnectorTarget> = {}, pair = certificates.client): ConnectorTarget {
  const { certificate: cert, privateKey: key } = pair
  const secureContext = createSecureContext({ cert, key, ca: certificates.authority })
  const connectorId = "1"
  return {
    appId: "app_1",
    connectorId,
    revision: 1,
    url,
    secrets: SECRETS,
    openTls: () => secureContext,
    ...changes,
  }
}

/** Requests a reference from a connector that answers as given. */
async function ask(answer: Reply, target = targetOf(), options: Partial<ConnectorClientOptions> = {}) {
  reply = answer
  arrived.length = 0
  let ids = 0
  const client = createConnectorClient({
    allowPrivate: true,
    now: () => performance.now(),
    wallClock: () => 1_700_000_000_000,
    newRequestId: () => `msg_${++ids}`,
    retryMs: 1,
    deadlineMs: 2_000,
    ...options,
  })
  try {
    return await client.ask(target, CONNECTOR_OPERATIONS.par, REQUEST).catch((error: unknown) => error)
  } finally {
    await client.close()
  }
}

const UNAVAILABLE = { name: "ApiError", code: "service-unavailable" }

describe("a connector", () => {
  test("is called over mutual TLS, by a request that is signed with each secret and names the app", async () => {
    expect(await ask(json(ANSWER))).toEqual(ANSWER)
    expect(arrived).toHaveLength(1)
    const [{ url: path, headers, body }] = arrived as [ArrivedRequest]
    expect(path).toBe("/connector/par")
    expect(JSON.parse(body.toString())).toEqual(REQUEST)
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "idempotency-key": "msg_1",
      "webhook-id": "msg_1",
      "x-service-app-id": "app_1",
    })
    const signed = {
      id: String(headers["webhook-id"]),
      timestamp: String(headers["webhook-timestamp"]),
      signature: String(headers["webhook-signature"]),
    }
    for (const secret of SECRETS) {
      expect(verifySignature({ ...signed, body }, [secret], 1_700_000_000_000)).toBe(true)
      const other = Buffer.from(body.toString().replace("4242", "4243"))
      expect(verifySignature({ ...signed, body: other }, [secret], 1_700_000_000_000)).toBe(false)
      expect(verifySignature({ ...signed, body }, [secret], 1_700_000_000_000 + 301_000)).toBe(false)
    }
  })

  test.each([429, 500, 502, 503, 504])(
    "is called again when it answers %d, with the same Idempotency-Key",
    async (status) => {
      const answer = await ask((response, count) =>
        count < 3 ? response.writeHead(status).end() : json(ANSWER)(response, count),
      )
      expect(answer).toEqual(ANSWER)
      expect(arrived.map(({ headers }) => headers["idempotency-key"])).toEqual(["msg_1", "msg_1", "msg_1"])
    },
  )

  test("is called again when it closes the connection", async () => {
    const answer = await ask((response, count) =>
      count < 2 ? response.destroy() : json(ANSWER)(response, count),
    )
    expect(answer).toEqual(ANSWER)
  })

  test("is given up after three attempts, with service-unavailable", async () => {
    expect(await ask((response) => response.writeHead(503).end())).toMatchObject(UNAVAILABLE)
    expect(arrived).toHaveLength(3)
  })

  test.each<[string, Reply]>([
    ["a refusal", (response) => response.writeHead(400).end("{}")],
    ["a redirect", (response) => response.writeHead(307, { location: "https://127.0.0.1/" }).end()],
    ["another success", (response) => response.writeHead(202).end(JSON.stringify(ANSWER))],
    ["no JSON", (response) => response.writeHead(200).end("<html>")],
    ["nothing", (response) => response.writeHead(200).end()],
    ["an unknown member", json({ ...ANSWER, more: 1 })],
    [
      "a member twice",
      (response) => response.end('{"paymentAccountReference":null,"paymentAccountReference":null}'),
    ],
    ["a reference that is none", json({ paymentAccountReference: "a" })],
    ["more than 64 KB", json({ paymentAccountReference: "A".repeat(65_536) })],
    [
      "an endless body",
      (response) => {
        response.writeHead(200)
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(16_384, 32)));
        }
        response.on("drain", more)
        more()
      },
    ],
    ["deep nesting", (response) => response.end("[".repeat(5_000))],
  ])("is not believed, and not called again, when it answers with %s", async (_, answer) => {
    expect(await ask(answer)).toMatchObject(UNAVAILABLE)
    expect(arrived).toHaveLength(1)
  })

  test.each<[string, Reply]>([
    ["never answers", () => undefined],
    ["stalls in its answer", (response) => response.writeHead(200).write("{")],
    [
      "dribbles",
      (response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write(" "), 10)
        response.on("close", () => clearInterval(timer))
      },
    ],
  ])("is given up at its deadline when it %s", async (_, answer) => {
    expect(await ask(answer, targetOf(), { deadlineMs: 300 })).toMatchObject({
      ...UNAVAILABLE,
      cause: { reason: "timeout" },
    })
    expect(arrived).toHaveLength(1)
  })

  test("gets no request when its certificate is another authority's", async () => {
    const { client } = certificates
    const secureContext = createSecureContext({ cert: client.certificate, key: client.privateKey })
    expect(await ask(json(ANSWER), targetOf({ openTls: () => secureContext }))).toMatchObject(UNAVAILABLE)
    expect(arrived).toEqual([])
  })

  test("answers nobody whose client certificate is another authority's", async () => {
    expect(await ask(json(ANSWER), targetOf({}, certificates.stranger))).toMatchObject(UNAVAILABLE)
    expect(arrived).toEqual([])
  })

  test.each(["http://127.0.0.1:1", "https://169.254.169.254", "https://user:a@127.0.0.1:1"])(
    "is not called at %s",
    async (at) => {
      expect(await ask(json(ANSWER), targetOf({ url: at }))).toMatchObject({
        ...UNAVAILABLE,
        cause: { reason: "destination-refused" },
      })
    },
  )

  test("is not called at a private address where those are not allowed, whatever its name resolves to", async () => {
    const options = {
      allowPrivate: false,
      lookup: ((_name: string, _options: unknown, callback: (error: null, found: object[]) => void) =>
        callback(null, [{ address: "127.0.0.1", family: 4 }])) as never,
    }
    const { port } = new URL(url)
    for (const at of [url, `https://connector.example.com:${port}`]) {
      expect(await ask(json(ANSWER), targetOf({ url: at }), options)).toMatchObject({
        ...UNAVAILABLE,
        cause: { reason: "destination-refused" },
      })
    }
    expect(arrived).toEqual([])
  })

  test("is left alone for a while when it fails repeatedly, then called once as a test", async () => {
    reply = (response) => response.writeHead(400).end()
    arrived.length = 0
    let nowMs = 0
    const client = createConnectorClient({
      allowPrivate: true,
      now: () => nowMs,
      wallClock: () => 0,
      newRequestId: () => "msg_1",
    })
    const target = targetOf()
    const once = () => client.ask(target, CONNECTOR_OPERATIONS.par, REQUEST).catch(() => null)
    for (let count = 0; count < 8; count++) await once()
    expect(arrived).toHaveLength(5)
    reply = json(ANSWER)
    nowMs += 15_000
    expect(await once()).toEqual(ANSWER)
    expect(await once()).toEqual(ANSWER)
    await client.close()
  })

  test("never appears in an error with what it was sent, or what it answers", async () => {
    const error = await ask((response) => response.writeHead(400).end('{"marker":"marker-7f3a"}'))
    const told = JSON.stringify([
      error,
      String(error),
      (error as Error).stack,
      String((error as Error).cause),
    ])
    expect(told).not.toContain("marker-7f3a")
    expect(told).not.toContain(REQUEST.number)
  })
})

describe("a circuit breaker", () => {
  test("opens after failures in a row, and lets one request through at a time until one succeeds", () => {
    let nowMs = 0
    const breaker = createCircuitBreaker({ failures: 2, openMs: 100, now: () => nowMs })
    breaker.report(false)
    breaker.report(true)
    breaker.report(false)
    expect(breaker.admit()).toBe(true)
    breaker.report(false)
    expect(breaker.admit()).toBe(false)
    nowMs = 99
    expect(breaker.admit()).toBe(false)
    nowMs = 100
    expect([breaker.admit(), breaker.admit()]).toEqual([true, false])
    breaker.report(false)
    nowMs = 199
    expect(breaker.admit()).toBe(false)
    nowMs = 200
    expect(breaker.admit()).toBe(true)
    breaker.report(true)
    expect([breaker.admit(), breaker.admit()]).toEqual([true, true])
  })
})
