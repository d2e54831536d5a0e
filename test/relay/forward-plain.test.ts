import { X509Certificate } from "node:crypto"
import { connect as connectTls } from "node:tls"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { basic, type ForwardWorld, startForwardWorld } from "./forward-world.ts"
import { exchange } from "./raw-exchange.ts"

let world: ForwardWorld

beforeAll(async () => {
  world = await startForwardWorld({ handshakeTimeoutMs: 400 })
  await world.addRelay(world.sandbox.app, "http://plain.example.com")
  await world.addRelay(world.sandbox.app, "http://plain.example.com:8080")
  await world.addRelay(world.sandbox.app, "api.example.com")
})
afterAll(() => world.close())

const credentials = () => `Proxy-Authorization: ${basic(world.sandbox.auth)}`
const send = async (...lines: string[]) => exchange(await world.open(), `${lines.join("\r\n")}\r\n\r\n`)

describe("a request in absolute form", () => {
  test("reaches the app's relay of a destination without TLS", async () => {
    const answer = await send(
      "POST http://Plain.example.com/v1/x?y=%20 HTTP/1.1",
      "Host: plain.example.com",
      credentials(),
      "Content-Length: 5\r\n\r\nhello",
    )
    expect(JSON.parse(answer.body)).toMatchObject({
      mode: "forward",
      method: "POST",
      target: "/v1/x?y=%20",
      host: "plain.example.com",
      port: 80,
      credentials: { appId: world.sandbox.app.id },
      ip: "127.0.0.1",
      body: "hello",
    })
  })

  test("reaches the relay of the port that it names, and follows the target, not Host", async () => {
    const answer = await send(
      "GET http://plain.example.com:8080 HTTP/1.1",
      "Host: other.example.com",
      credentials(),
    )
    expect(JSON.parse(answer.body)).toMatchObject({ host: "plain.example.com", port: 8080, target: "/" })
  })

  test.each([
    "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: gzip, chunked",
  ])("is refused with bad-request when its body is not only in chunks: %j", async (coding) => {
    const target = "POST http://plain.example.com/ HTTP/1.1"
    const answer = await send(target, "Host: plain.example.com", credentials(), `${coding}\r\n\r\n0`)
    expect(answer).toMatchObject({ status: 400, code: "bad-request" })
  })

  test.each([
    ["proxy-authentication-required", 407, () => "X-Other: 1"],
    ["proxy-auth-failed", 407, () => `Proxy-Authorization: ${basic({ ...world.sandbox.auth, key: "no" })}`],
    ["relay-not-found", 404, () => `Proxy-Authorization: ${basic(world.production.auth)}`],
  ])("is refused with %s", async (code, status, header) => {
    const answer = await send("GET http://plain.example.com/ HTTP/1.1", "Host: plain.example.com", header())
    expect(answer).toMatchObject({ status, code })
    expect(answer.headers["x-service-error-code"]).toBe(code)
  })

  test.each([
    "http://api.example.com:443/",
    "https://api.example.com/",
    "ftp://plain.example.com/",
    "http://user:pass@plain.example.com/",
    "http:///",
    "http://plain.example.com:0/",
  ])("is refused for %s", async (target) => {
    const before = world.seen.length
    const answer = await send(`GET ${target} HTTP/1.1`, "Host: plain.example.com", credentials())
    expect(answer.status).toBe(400)
    expect(world.seen.length).toBe(before)
  })

  test("may follow another on the same connection, with other credentials", async () => {
    const socket = await world.open()
    const get = (auth: string) =>
      exchange(
        socket,
        `GET http://plain.example.com/ HTTP/1.1\r\nHost: plain.example.com\r\nProxy-Authorization: ${auth}\r\n\r\n`,
      )
    expect(await get(world.sandbox.auth.key)).toMatchObject({ status: 200 })
    expect(await get(world.production.auth.key)).toMatchObject({ status: 404, code: "relay-not-found" })
    expect(await get("no")).toMatchObject({ status: 407, code: "proxy-auth-failed" })
  })
})

describe("a tunnel to a destination without TLS", () => {
  test("carries requests unchanged", async () => {
    const { socket, status } = await world.connect("plain.example.com:80", [credentials()])
    expect(status).toBe(200)
    const answer = await exchange(socket, "GET /x HTTP/1.1\r\nHost: plain.example.com\r\n\r\n")
    expect(JSON.parse(answer.body)).toMatchObject({ host: "plain.example.com", port: 80, target: "/x" })
    const nested = await world.connect("plain.example.com:80", [credentials()], socket)
    expect(nested).toMatchObject({ status: 405, code: "http-connect-not-allowed" })
  })

  test("does not pretend to be protected: requests through TLS are refused", async () => {
    const { socket } = await world.connect("plain.example.com:80", [credentials()])
    const secured = await world.secure(socket, "plain.example.com")
    const answer = await exchange(secured, "GET /x HTTP/1.1\r\nHost: plain.example.com\r\n\r\n")
    expect(answer).toMatchObject({ status: 400, code: "invalid-request" })
  })
})

describe("a client that speaks TLS to the proxy", () => {
  const secureDoor = async (options: { servername?: string; host?: string } = {}) => {
    const socket = connectTls({ port: world.port, host: "127.0.0.1", ca: world.ca, ...options })
    await new Promise((resolve, reject) => {
      socket.once("secureConnect", resolve)
      socket.once("error", reject)
    })
    return socket
  }

  test.each([{}, { servername: "localhost" }])(
    "verifies the proxy by its name for it: %j",
    async (options) => {
      const socket = await secureDoor(options)
      expect(socket.authorized).toBe(true)
      socket.destroy()
    },
  )

  test("does not verify it by another name", async () => {
    await expect(secureDoor({ servername: "api.example.com" })).rejects.toMatchObject({
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
    })
  })

  test("has its tunnels in TLS, as its address shows", async () => {
    const { socket, status } = await world.connect("api.example.com:443", [credentials()], await secureDoor())
    expect(status).toBe(200)
    const secured = await world.secure(socket, "api.example.com")
    const answer = await exchange(secured, "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n")
    expect(JSON.parse(answer.body)).toMatchObject({ host: "api.example.com", port: 443, ip: "127.0.0.1" })
  })

  test("may send absolute form", async () => {
    const answer = await exchange(
      await secureDoor(),
      `GET http://plain.example.com/ HTTP/1.1\r\nHost: plain.example.com\r\n${credentials()}\r\n\r\n`,
    )
    expect(answer.status).toBe(200)
  })

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["the beginning of a TLS record", Buffer.from([0x16, 3, 1])],
  ])("is dropped when it sends %s for too long", async (_, bytes) => {
    const socket = await world.open()
    socket.write(bytes)
    socket.resume()
    await new Promise((resolve) => socket.once("close", resolve))
  })
})

describe("the proxy's own addresses", () => {
  const get = (path: string, method = "GET") => fetch(world.url + path, { method })

  test("show the deployment's root to anybody", async () => {
    const response = await get("/ca.pem")
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/pem-certificate-chain")
    const text = await response.text()
    expect(text).toBe(world.ca)
    expect(new X509Certificate(text).ca).toBe(true)
    const head = await get("/ca.pem", "HEAD")
    expect([head.status, await head.text()]).toEqual([200, ""])
  })

  test("show an app's authority before it", async () => {
    const response = await get(`/apps/${world.sandbox.app.id}/ca.pem`)
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).toBe(await world.authority.appChain(world.sandbox.app))
    expect(text.endsWith(world.ca)).toBe(true)
    expect(new X509Certificate(text).subject).toContain(world.sandbox.app.id)
  })

  test.each([
    ["/apps/app_00000000000000000000000000/ca.pem", "GET", 404, "relay-not-found"],
    ["/apps/__proto__/ca.pem", "GET", 404, "relay-not-found"],
    ["/ca.pem", "POST", 400, "invalid-request"],
    ["/", "GET", 400, "invalid-request"],
    ["/ca.pem/", "GET", 400, "invalid-request"],
    ["/apps/a%2Fb/ca.pem", "GET", 400, "invalid-request"],
  ])("are no others: %s by %s is %i", async (path, method, status, code) => {
    const response = await fetch(world.url + path, { method })
    expect(response.status).toBe(status)
    expect(response.headers.get("x-service-error-code")).toBe(code)
    expect(await response.json()).toMatchObject({ code, status })
  })
})
