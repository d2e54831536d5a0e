import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { request as requestTls } from "node:https"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { type RelayContainer, startFunction, startRelayContainer } from "@sealway/relay-proxy/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { useService } from "../support/service.ts"

const SECRET = "0123456789abcdef".repeat(4)
const TOKEN = /^ev:/
const CARD = JSON.stringify({ card: "4242", kept: 1.0 })
const FORM = "b0undary"

const service = useService()

interface SeenRequest {
  readonly target: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Returns what CloudFront passes on of the host, address and target of a caller. */
const told = (host: string, target: string) => ({
  "x-relay-origin-secret": SECRET,
  "x-forwarded-host": host,
  "x-relay-viewer-ip": "203.0.113.9",
  "x-relay-target": target,
  "x-forwarded-for": "198.51.100.1, 192.0.2.1",
  "x-amz-cf-id": "edge",
  "cloudfront-viewer-country": "IE",
})

let destination: Server
let container: RelayContainer
let domain: string
const seen: SeenRequest[] = []

beforeAll(async () => {
  destination = createServer(async (request, response) => {
    seen.push({ target: request.url ?? "", headers: request.headers, body: await text(request) })
    response.setHeader("Set-Cookie", ["a=1", "b=2"])
    response.setHeader("Location", `http://${request.headers.host}/orders/7`)
    response.writeHead(201, { "content-type": "text/plain" }).end("done")
  })
  destination.listen(0, "127.0.0.1")
  await once(destination, "listening")
  const { port } = destination.address() as AddressInfo
  const { json } = await service.post("/relays", {
    destinationDomain: `http://127.0.0.1:${port}`,
    routes: [
      {
        method: null,
        path: "/**",
        request: [
          {
            action: "encrypt",
            selections: [
              { type: "json", selector: "$.card" },
              { type: "file", selector: "scan" },
            ],
          },
        ],
        response: [],
      },
    ],
  })
  domain = z.object({ relayDomain: z.string() }).parse(json).relayDomain
  container = await startRelayContainer({
    platform: service.service.platform,
    settings: { originSecret: SECRET, originPort: 0, proxyPort: 0, strictProxyPort: 0, healthPort: 0 },
    host: "127.0.0.1",
    lingerMs: 0,
  })
})
afterAll(async () => {
  await container.close()
  destination.closeAllConnections()
  destination.close()
})

/** Sends a request to the container as CloudFront does: by TLS, whose certificate the load balancer does not check. */
async function askContainer(
  headers: Record<string, string>,
  body: string,
  path = "/decoded",
  port = container.originPort,
) {
  const request = requestTls({
    host: "127.0.0.1",
    port,
    method: "POST",
    path,
    rejectUnauthorized: false,
    headers: { host: "origin.relay.example.com", ...headers },
    agent: false,
  })
  request.end(body)
  const [response] = await once(request, "response")
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

const healthOf = async () => (await fetch(`http://127.0.0.1:${container.healthPort}/health`)).status

describe("the container", () => {
  test("passes a request of CloudFront's through its caller's relay, without anything that the edge added", async () => {
    seen.splice(0)
    const headers = { ...told(domain, "/a%2Fb?q=2&q=1"), "content-type": "application/json", "x-own": "1" }
    const { status, headers: answered, body } = await askContainer(headers, CARD)
    expect([status, body]).toEqual([201, "done"])
    expect(answered.location).toBe(`https://${domain}/orders/7`)
    const [{ target, headers: passed, body: sent } = { target: "", headers: {}, body: "{}" }] = seen
    expect(target).toBe("/a%2Fb?q=2&q=1")
    expect(JSON.parse(sent)).toEqual({ card: expect.stringMatching(TOKEN), kept: 1 })
    expect(passed).toMatchObject({
      "x-own": "1",
      "x-forwarded-for": "203.0.113.9",
      "x-forwarded-host": domain,
      "x-forwarded-proto": "https",
    })
    expect(JSON.stringify(passed)).not.toMatch(new RegExp(`${SECRET}|x-relay-|cloudfront|x-amz-cf-id`))
  })

  test("encrypts files of a form, which no Lambda gets", async () => {
    seen.splice(0)
    const part = `--${FORM}\r\nContent-Disposition: form-data; name="scan"; filename="a.bin"\r\n\r\n`
    const content = "x".repeat(5_500_000)
    const headers = { ...told(domain, "/upload"), "content-type": `multipart/form-data; boundary=${FORM}` }
    const whole = `${part}${content}\r\n--${FORM}--\r\n`
    const answer = await askContainer({ ...headers, "content-length": String(whole.length) }, whole)
    expect(answer.status).toBe(201)
    expect(seen[0]?.body.length).toBeGreaterThan(5_000_000)
    expect(seen[0]?.body).not.toContain("xxxxxxxx")
  })

  test("refuses all callers with forbidden that do not know the origin secret, whatever else they send", async () => {
    seen.splice(0)
    const { "x-relay-origin-secret": _, ...headers } = told(domain, "/")
    const { status, body } = await askContainer({ ...headers, "content-type": "application/json" }, CARD)
    expect(status).toBe(403)
    expect(JSON.parse(body)).toMatchObject({ code: "forbidden" })
    expect(seen).toEqual([])
  })

  test("reports its health to load balancers, and nothing else on that port", async () => {
    expect(await healthOf()).toBe(200)
    const other = await fetch(`http://127.0.0.1:${container.healthPort}/`)
    expect([other.status, await other.text()]).toEqual([404, ""])
  })

  test("returns the forward proxy's certificate to everybody who asks on its port", async () => {
    const answer = await fetch(`http://127.0.0.1:${container.proxyPort}/ca.pem`)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain("-----BEGIN CERTIFICATE-----")
  })

  test("ends on request, and its ports are then free", async () => {
    const short = await startRelayContainer({
      platform: service.service.platform,
      settings: { originSecret: SECRET, originPort: 0, proxyPort: 0, strictProxyPort: 0, healthPort: 0 },
      host: "127.0.0.1",
      lingerMs: 0,
    })
    await short.close()
    for (const port of [short.originPort, short.proxyPort, short.strictProxyPort, short.healthPort]) {
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow("fetch failed")
    }
  })

  test("does not start when a port is taken, and leaves none behind", async () => {
    const settings = {
      originSecret: SECRET,
      originPort: 0,
      proxyPort: container.proxyPort,
      strictProxyPort: 0,
      healthPort: 0,
    }
    const { platform } = service.service
    await expect(
      startRelayContainer({ platform, settings, host: "127.0.0.1", lingerMs: 0 }),
    ).rejects.toMatchObject({ code: "EADDRINUSE" })
  })
})

describe("the function", () => {
  async function askFunction(event: object) {
    const { ask, close } = startFunction(service.service.platform, { originSecret: SECRET })
    const answer = await ask(event)
    await close()
    return answer
  }

  const eventOf = (headers: Record<string, string>, body: string) => ({
    rawPath: "/a/b",
    rawQueryString: "q=2&q=1",
    headers,
    body: Buffer.from(body).toString("base64"),
    isBase64Encoded: true,
  })

  test("passes a request of CloudFront's through its caller's relay, and streams the answer back", async () => {
    seen.splice(0)
    const headers = { ...told(domain, "/a%2Fb?q=2&q=1"), "content-type": "application/json" }
    const { head, body } = await askFunction(eventOf(headers, CARD))
    expect(head).toMatchObject({
      statusCode: 201,
      headers: { "content-type": "text/plain", location: `https://${domain}/orders/7` },
      cookies: ["a=1", "b=2"],
    })
    expect(body).toBe("done")
    expect(seen[0]?.target).toBe("/a%2Fb?q=2&q=1")
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ card: expect.stringMatching(TOKEN), kept: 1 })
    expect(JSON.stringify(seen[0]?.headers)).not.toMatch(new RegExp(`${SECRET}|x-relay-|cloudfront`))
  })

  test("answers with a problem document when no relay matches", async () => {
    const { head, body } = await askFunction(eventOf(told(`no.${domain}`, "/"), CARD))
    expect(head).toMatchObject({ statusCode: 404, headers: { "content-type": "application/problem+json" } })
    expect(JSON.parse(body)).toMatchObject({ code: "subdomain-not-found" })
  })
})
