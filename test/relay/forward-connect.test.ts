import { Duplex } from "node:stream"
import { connect as connectTls } from "node:tls"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { basic, type ForwardWorld, startForwardWorld } from "./forward-world.ts"
import { exchange } from "./raw-exchange.ts"

let world: ForwardWorld
const credentials = () => `Proxy-Authorization: ${basic(world.sandbox.auth)}`

beforeAll(async () => {
  world = await startForwardWorld({ handshakeTimeoutMs: 400 })
  await world.addRelay(world.sandbox.app, "api.example.com")
  await world.addRelay(world.sandbox.app, "[::1]:8443")
  await world.addRelay(world.production.app, "only-production.example.com")
})
afterAll(() => world.close())

const GET = "GET /v1/charges?limit=1 HTTP/1.1\r\nHost: api.example.com\r\n\r\n"

/** Opens a tunnel to `api.example.com` and completes TLS in it. */
async function tunnel(headers: readonly string[] = [credentials()]) {
  const { socket, status } = await world.connect("api.example.com:443", headers)
  expect(status).toBe(200)
  return world.secure(socket, "api.example.com")
}

describe("a CONNECT request", () => {
  test.each([
    ["the app's id and key", () => credentials()],
    [
      "the key as password without a user name",
      () => `Proxy-Authorization: ${basic({ ...world.sandbox.auth, user: "" })}`,
    ],
    ["the bare key", () => `Proxy-Authorization: ${world.sandbox.auth.key}`],
    ["a scheme in another case", () => `proxy-authorization: bAsIc ${basic(world.sandbox.auth).slice(6)}`],
  ])("opens a tunnel for %s, in which requests need no credentials", async (_, header) => {
    const answer = await exchange(await tunnel([header()]), GET)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toEqual({
      mode: "forward",
      method: "GET",
      target: "/v1/charges?limit=1",
      host: "api.example.com",
      port: 443,
      credentials: { appId: world.sandbox.app.id, apiKeyId: expect.stringMatching(/^key_/), scopes: ["*"] },
      ip: "127.0.0.1",
      body: null,
    })
  })

  test.each([
    ["a wrong key", () => basic({ ...world.sandbox.auth, key: `${world.sandbox.auth.key}x` })],
    ["another app's id", () => basic({ ...world.sandbox.auth, user: world.production.app.id })],
    ["a team's key", () => basic(world.team)],
    ["a team's bare key", () => world.team.key],
    ["no colon", () => `Basic ${Buffer.from(world.sandbox.auth.key).toString("base64")}`],
    ["another scheme", () => `Bearer ${world.sandbox.auth.key}`],
    ["nothing", () => ""],
    ["too much", () => `Basic ${"A".repeat(5_000)}`],
  ])("is refused with proxy-auth-failed for %s", async (_, value) => {
    const answer = await world.connect("api.example.com:443", [`Proxy-Authorization: ${value()}`])
    expect(answer).toMatchObject({
      status: 407,
      code: "proxy-auth-failed",
      headers: {
        "proxy-authenticate": expect.stringContaining("Basic realm="),
        "x-service-error-code": "proxy-auth-failed",
        "content-type": "application/problem+json",
      },
    })
  })

  test("is refused with proxy-auth-failed when it carries two credentials", async () => {
    const answer = await world.connect("api.example.com:443", [credentials(), credentials()])
    expect(answer).toMatchObject({ status: 407, code: "proxy-auth-failed" })
  })

  test.each([
    "unknown.example.com:443",
    "api.example.com:80",
    "api.example.com:8443",
    "www.api.example.com:443",
    "only-production.example.com:443",
    "169.254.169.254:80",
    "[::1]:443",
  ])("is refused with relay-not-found for %s, for which the app has no relay", async (target) => {
    const answer = await world.connect(target, [credentials()])
    expect(answer).toMatchObject({ status: 404, code: "relay-not-found" })
    expect(answer.headers["proxy-authenticate"]).toBeUndefined()
  })

  test("is refused with proxy-authentication-required without credentials where nobody has a relay", async () => {
    const answer = await world.connect("unknown.example.com:443")
    expect(answer).toMatchObject({
      status: 407,
      code: "proxy-authentication-required",
      headers: { "proxy-authenticate": expect.stringContaining("Basic realm=") },
    })
  })

  test.each(["API.Example.COM:443", "api.example.com.:443"])(
    "regards %s as api.example.com",
    async (target) => {
      const { socket, status } = await world.connect(target, [credentials()])
      expect(status).toBe(200)
      const answer = await exchange(await world.secure(socket, "api.example.com"), GET)
      expect(JSON.parse(answer.body)).toMatchObject({ host: "api.example.com", port: 443 })
    },
  )

  test("reaches a relay of an IPv6 address, with a certificate for it", async () => {
    const { socket, status } = await world.connect("[0:0::1]:8443", [credentials()])
    expect(status).toBe(200)
    const secured = await world.secure(socket, "", { host: "::1" })
    expect(secured.getPeerX509Certificate()?.checkIP("::1")).toBe("::1")
    const answer = await exchange(secured, "GET / HTTP/1.1\r\nHost: [::1]:8443\r\n\r\n")
    expect(JSON.parse(answer.body)).toMatchObject({ host: "::1", port: 8443 })
  })

  test.each([
    "api.example.com:0",
    "api.example.com:65536",
    "user@api.example.com:443",
    "api.example.com..:443",
    "127.1:443",
    "api.example.com:443/x",
  ])("is refused for %s, which is not a host and port", async (target) => {
    const answer = await world.connect(target, [credentials()])
    expect(answer.status).toBe(400)
    // What the parser of Node.js refuses does not get as far as the proxy.
    expect(["invalid-request", "bad-request"]).toContain(answer.code)
  })

  test("is refused with no-hostname-in-request when it names none", async () => {
    expect(await world.connect(":443", [credentials()])).toMatchObject({
      status: 400,
      code: "no-hostname-in-request",
    })
  })

  test.each(["Content-Length: 4", "Transfer-Encoding: chunked"])(
    "is refused with a body (%s)",
    async (header) => {
      const answer = await world.connect("api.example.com:443", [credentials(), header])
      expect(answer.status).toBe(400)
      expect(["invalid-request", "bad-request"]).toContain(answer.code)
    },
  )

  test("is refused with http-connect-not-allowed in a tunnel", async () => {
    const secured = await tunnel()
    const answer = await world.connect("api.example.com:443", [credentials()], secured)
    expect(answer).toMatchObject({ status: 405, code: "http-connect-not-allowed" })
  })

  test("opens a tunnel whose TLS has arrived with it, without waiting for the answer", async () => {
    const socket = await world.open()
    const head = `CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com\r\n${credentials()}\r\n\r\n`
    socket.write(Buffer.concat([Buffer.from(head), await clientHello()]))
    let answer = Buffer.alloc(0)
    for await (const chunk of socket) {
      answer = Buffer.concat([answer, Buffer.from(chunk)])
      if (answer.length > ESTABLISHED.length) break
    }
    expect(answer.subarray(0, ESTABLISHED.length).toString()).toBe(ESTABLISHED)
    // ServerHello: a record of type handshake, of TLS 1.2 as RFC 8446 section 5.1 requires.
    expect([...answer.subarray(ESTABLISHED.length, ESTABLISHED.length + 3)]).toEqual([0x16, 3, 3])
  })
})

const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n"

/** Returns what a client sends first in TLS. */
function clientHello(): Promise<Buffer> {
  return new Promise((resolve) => {
    const wire = new Duplex({ read: () => {}, write: (chunk: Buffer) => resolve(chunk) })
    connectTls({ socket: wire, servername: "api.example.com" })
  })
}

describe("a tunnel opened without credentials", () => {
  const open = async () => tunnel([])

  test("shows a certificate issued by the root", async () => {
    const secured = await open()
    const leaf = secured.getPeerX509Certificate()
    expect(leaf?.issuer).toMatch(/^O=Sealway\nCN=Sealway Relay Root /)
  })

  test("accepts requests with credentials, each app's to its own relays", async () => {
    const secured = await open()
    const withKey = (key: string, more = "") =>
      exchange(
        secured,
        `GET / HTTP/1.1\r\nHost: api.example.com\r\nProxy-Authorization: ${key}\r\n${more}\r\n`,
      )
    expect(await withKey(world.sandbox.auth.key)).toMatchObject({ status: 200 })
    expect(await withKey(basic(world.sandbox.auth))).toMatchObject({ status: 200 })
    expect(await withKey(world.production.auth.key)).toMatchObject({ status: 404, code: "relay-not-found" })
    expect(await withKey("swk_sandbox_no")).toMatchObject({ status: 407, code: "proxy-auth-failed" })
    const twice = await withKey(world.sandbox.auth.key, `Proxy-Authorization: x\r\n`)
    expect(twice).toMatchObject({ status: 407, code: "proxy-auth-failed" })
  })

  test("refuses requests without credentials with proxy-authentication-required", async () => {
    expect(await exchange(await open(), GET)).toMatchObject({
      status: 407,
      code: "proxy-authentication-required",
      headers: { "proxy-authenticate": expect.stringContaining("Basic realm=") },
    })
  })
})
