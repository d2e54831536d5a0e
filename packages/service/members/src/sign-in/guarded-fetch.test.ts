import { EventEmitter, once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { createEgress } from "@sealway/http/egress"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import * as z from "zod"
import { createGuardedFetch } from "./guarded-fetch.ts"
import { createIdentityProvider } from "./identity-provider.ts"

const received: string[] = []
const asked = new EventEmitter<{ silent: [ServerResponse] }>()
let metadata: object = {}
const server = createServer(async (request, response) => {
  const { url = "", method } = request
  received.push(url)
  if (url.startsWith("/bytes/")) response.end("x".repeat(Number(url.slice("/bytes/".length))))
  else if (url === "/silent") asked.emit("silent", response)
  else if (url === "/moved") response.writeHead(302, { location: "/elsewhere" }).end()
  else if (url === "/empty") response.writeHead(204).end()
  else if (url.startsWith("/status/")) response.writeHead(Number(url.slice("/status/".length))).end("x")
  else if (url.startsWith("/echo"))
    response
      .writeHead(400, { "x-cookies": ["a", "b"] })
      .end(JSON.stringify({ url, method, accept: request.headers.accept, body: await text(request) }))
  else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata))
})
let origin = ""
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const fetchOf = (allowPrivate: boolean) =>
  createGuardedFetch(createEgress({ allowPrivate }), { allowPrivate })
const GET = { method: "GET", headers: {}, body: null, redirect: "manual" } as const
const NEVER = new AbortController().signal
const UNREACHABLE = { name: "ProviderUnreachableError" }

test.each([
  "http://127.0.0.1:1/",
  "https://127.0.0.1:1/",
  "https://localhost:1/",
  "https://10.0.0.1/",
  "https://[::1]/",
])("refuses %s as the address of an identity provider in a deployment", async (url) => {
  await expect(fetchOf(false)(url, GET)).rejects.toMatchObject(UNREACHABLE)
})

test.each(["http://169.254.169.254/latest/meta-data", "file:///etc/passwd", "https://user@login.example/"])(
  "refuses %s as the address of an identity provider everywhere",
  async (url) => {
    await expect(fetchOf(true)(url, GET)).rejects.toMatchObject(UNREACHABLE)
  },
)

test("follows no redirect, and reads no answer that is too long", async () => {
  const moved = await fetchOf(true)(`${origin}/moved`, GET)
  expect(moved.status).toBe(302)
  expect(received).not.toContain("/elsewhere")
  const mostBytes = 512 * 1024
  expect((await (await fetchOf(true)(`${origin}/bytes/${mostBytes}`, GET)).text()).length).toBe(mostBytes)
  await expect(fetchOf(true)(`${origin}/bytes/${mostBytes + 1}`, GET)).rejects.toMatchObject(UNREACHABLE)
})

test("passes on what is sent and what is answered: query, fields, body and status", async () => {
  const headers = { accept: "text/plain" }
  const body = new URLSearchParams({ a: "1 2" })
  const posted = await fetchOf(true)(`${origin}/echo?x=1`, { ...GET, method: "POST", headers, body })
  const sent = { url: "/echo?x=1", method: "POST", accept: "text/plain", body: "a=1+2" }
  expect([posted.status, await posted.json()]).toEqual([400, sent])
  expect(posted.headers.get("x-cookies")).toBe("a, b")
  const got = await fetchOf(true)(`${origin}/echo`, { ...GET, method: "PUT" })
  expect(await got.json()).toEqual({ url: "/echo", method: "GET", body: "" })
  const empty = await fetchOf(true)(`${origin}/empty`, GET)
  expect([empty.status, empty.body]).toEqual([204, null])
})

test("cannot reach a provider that fails, and ends with what asks for it", async () => {
  expect((await fetchOf(true)(`${origin}/status/499`, GET)).status).toBe(499)
  await expect(fetchOf(true)(`${origin}/status/500`, GET)).rejects.toMatchObject(UNREACHABLE)
  const { signal } = new AbortController()
  const ended = AbortSignal.any([signal, AbortSignal.abort(new Error("gone"))])
  await expect(fetchOf(true)(`${origin}/empty`, { ...GET, signal: ended })).rejects.toMatchObject(UNREACHABLE)
})

test.each<[string, (issuer: string) => object]>([
  ["names another issuer", () => ({ issuer: "https://evil.example" })],
  ["has no issuer", () => ({})],
  ["leads browsers nowhere", (issuer) => ({ issuer })],
])("refuses a provider whose metadata %s", async (_, of) => {
  metadata = of(origin)
  const configuration = { issuer: origin, clientId: "sealway", clientSecret: null }
  const provider = createIdentityProvider({ configuration, fetch: fetchOf(true), now: () => 0 })
  const secrets = { state: "s", nonce: "n", verifier: "v".repeat(43) }
  await expect(provider.authorizationUrl(`${origin}/callback`, secrets, NEVER)).rejects.toMatchObject({
    name: "IdentityProviderError",
  })
})

test("sends a code to no address that is not allowed, even if the provider's metadata names it", async () => {
  metadata = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: "http://169.254.169.254/token",
    jwks_uri: "http://169.254.169.254/jwks",
  }
  const configuration = { issuer: origin, clientId: "sealway", clientSecret: "secret" }
  const provider = createIdentityProvider({ configuration, fetch: fetchOf(true), now: () => 0 })
  const secrets = { state: "s", nonce: "n", verifier: "v".repeat(43) }
  const answer = new URL(`${origin}/callback?code=x&state=s`)
  await expect(provider.identify(answer, secrets, NEVER)).rejects.toMatchObject(UNREACHABLE)
})

describe("a sign-in whose client has left", () => {
  const gone = new Error("gone")
  const secrets = { state: "s", nonce: "n", verifier: "v".repeat(43) }
  const answer = () => new URL(`${origin}/callback?code=x&state=s`)
  const providerOf = (issuer: string) =>
    createIdentityProvider({
      configuration: { issuer, clientId: "sealway", clientSecret: null },
      fetch: fetchOf(true),
      now: () => 0,
    })

  test("calls the provider no longer", async () => {
    metadata = { issuer: origin, token_endpoint: `${origin}/silent` }
    const ending = new AbortController()
    const identified = providerOf(origin).identify(answer(), secrets, ending.signal)
    const [response] = await once(asked, "silent")
    const closed = once(response, "close")
    ending.abort(gone)
    await expect(identified).rejects.toBe(gone)
    await closed
  })

  test("waits for the provider's metadata no longer, which others still get", async () => {
    const silent: ServerResponse[] = []
    const slow = createServer((_, response) => void silent.push(response)).listen(0, "127.0.0.1")
    await once(slow, "listening")
    onTestFinished(() => void slow.close().closeAllConnections())
    const issuer = `http://127.0.0.1:${z.object({ port: z.number() }).parse(slow.address()).port}`
    const provider = providerOf(issuer)
    const ending = new AbortController()
    const first = provider.authorizationUrl(`${origin}/callback`, secrets, ending.signal)
    const second = provider.authorizationUrl(`${origin}/callback`, secrets, NEVER)
    await expect.poll(() => silent.length).toBe(1)
    ending.abort(gone)
    await expect(first).rejects.toBe(gone)
    const found = { issuer, authorization_endpoint: `${issuer}/authorize` }
    silent[0]?.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found))
    expect(await second).toContain(`${issuer}/authorize?`)
  })
})
