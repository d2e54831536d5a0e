import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { basic, type ForwardWorld, startForwardWorld } from "./forward-world.ts"
import { exchange, readAnswer } from "./raw-exchange.ts"

let world: ForwardWorld

beforeAll(async () => {
  world = await startForwardWorld({ handshakeTimeoutMs: 400 })
  await world.addRelay(world.sandbox.app, "api.example.com")
  await world.addRelay(world.sandbox.app, "other.example.com")
})
afterAll(() => world.close())

const GET = "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n"
const credentials = () => `Proxy-Authorization: ${basic(world.sandbox.auth)}`

/** Opens a tunnel to `api.example.com` and completes TLS in it. */
async function tunnel() {
  const { socket } = await world.connect("api.example.com:443", [credentials()])
  return world.secure(socket, "api.example.com")
}

describe("a request from a tunnel", () => {
  test("is refused when the Host header names another host than CONNECT", async () => {
    const before = world.seen.length
    for (const host of ["other.example.com", "api.example.com:8443", "api.example.com@evil.example"]) {
      const answer = await exchange(await tunnel(), `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      expect(answer, host).toMatchObject({ status: 400 })
    }
    const absolute = "GET https://other.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n"
    expect(await exchange(await tunnel(), absolute)).toMatchObject({ status: 400 })
    const twice = "GET / HTTP/1.1\r\nHost: api.example.com\r\nHost: other.example.com\r\n\r\n"
    expect(await exchange(await tunnel(), twice)).toMatchObject({ status: 400 })
    expect(world.seen.length).toBe(before)
  })

  test.each(["API.example.com", "api.example.com:443"])(
    "is treated as one for the host of CONNECT as %s",
    async (host) => {
      const answer = await exchange(await tunnel(), `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      expect(JSON.parse(answer.body)).toMatchObject({ host: "api.example.com", port: 443 })
    },
  )

  test("does not verify for another server name than CONNECT's host", async () => {
    const { socket } = await world.connect("api.example.com:443", [credentials()])
    await expect(world.secure(socket, "other.example.com")).rejects.toMatchObject({
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
    })
  })

  test("is refused with invalid-request when TLS was meant for another name and the client did not check", async () => {
    const { socket } = await world.connect("api.example.com:443", [credentials()])
    const secured = await world.secure(socket, "evil.example", { rejectUnauthorized: false })
    expect(secured.getPeerX509Certificate()?.subjectAltName).toBe("DNS:api.example.com")
    expect(await exchange(secured, GET)).toMatchObject({ status: 400, code: "invalid-request" })
  })

  test("is refused with invalid-request without TLS, for a destination with TLS", async () => {
    const { socket } = await world.connect("api.example.com:443", [credentials()])
    expect(await exchange(socket, GET)).toMatchObject({ status: 400, code: "invalid-request" })
  })

  test("is refused when it is neither TLS nor HTTP", async () => {
    const { socket } = await world.connect("api.example.com:443", [credentials()])
    expect(await exchange(socket, "\x00\x01\x02 garbage\r\n\r\n")).toMatchObject({
      status: 400,
      code: "bad-request",
    })
  })

  test("is dropped when it only begins like TLS", async () => {
    const { socket } = await world.connect("api.example.com:443", [credentials()])
    socket.write(Buffer.concat([Buffer.from([0x16, 3, 1, 0xff, 0xff]), Buffer.alloc(70_000, 0x41)]))
    socket.resume()
    await new Promise((resolve) => socket.once("close", resolve))
  })

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["the beginning of a TLS record", Buffer.from([0x16, 3, 1, 2])],
  ])("is dropped when the client sends %s for too long", async (_, bytes) => {
    const { socket } = await world.connect("api.example.com:443", [credentials()])
    socket.write(bytes)
    socket.resume()
    await new Promise((resolve) => socket.once("close", resolve))
  })

  test("offers HTTP/1.1 and nothing else", async () => {
    const { socket } = await world.connect("api.example.com:443", [credentials()])
    const secured = await world.secure(socket, "api.example.com", { ALPNProtocols: ["h2", "http/1.1"] })
    expect(secured.alpnProtocol).toBe("http/1.1")
    const other = await world.connect("api.example.com:443", [credentials()])
    await expect(world.secure(other.socket, "api.example.com", { ALPNProtocols: ["h2"] })).rejects.toThrow()
  })

  test("may be followed by others on the same connection", async () => {
    const secured = await tunnel()
    const post = (body: string) =>
      `POST /x HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    expect(JSON.parse((await exchange(secured, post("first"))).body)).toMatchObject({ body: "first" })
    secured.write(post("second"))
    expect(JSON.parse((await readAnswer(secured)).body)).toMatchObject({ body: "second" })
  })
})
