import { once } from "node:events"
import { connect as connectHttp2, constants } from "node:http2"
import type { Socket } from "node:net"
import { describe, expect, onTestFinished, test } from "vitest"
import { basic, startForwardWorld } from "./forward-world.ts"
import { refusalOf, startServer } from "./server-world.ts"

const WEBSOCKET = "Connection: Upgrade\r\nUpgrade: websocket\r\n"

/** Starts HTTP/2 on a connection, as a client that knows what its server speaks. Returns what the server's GOAWAY says. */
async function goAwayOf(socket: Socket): Promise<{ code: number; lastStream: number; text: string }> {
  const session = connectHttp2("http://relay", { createConnection: () => socket })
  session.on("error", () => undefined)
  onTestFinished(() => session.destroy())
  const [code, lastStream, data] = await once(session, "goaway")
  return { code, lastStream, text: String(data) }
}

const HTTP_1_1_REQUIRED = { code: constants.NGHTTP2_HTTP_1_1_REQUIRED, lastStream: 0, text: "Use HTTP/1.1." }

describe("a request to change the protocol", () => {
  test.each([
    ["a WebSocket", WEBSOCKET],
    ["HTTP/2 or a WebSocket", "Connection: Upgrade\r\nUpgrade: h2c, websocket\r\n"],
    ["HTTP/2, then a WebSocket", "Connection: Upgrade\r\nUpgrade: h2c\r\nUpgrade: websocket\r\n"],
    ["a WebSocket beside HTTP/2", "Upgrade: h2c\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"],
    ["TLS", "connection: upgrade\r\nupgrade: TLS/1.2, HTTP/1.1\r\n"],
    ["anything, without Connection", "Upgrade: x\r\n"],
  ])("is refused with upgrade-not-supported, and nothing that follows is read: %s", async (_, headers) => {
    const server = await startServer()
    const peer = await server.connect()
    peer.send(`GET /a HTTP/1.1\r\nHost: a\r\n${headers}\r\n`)
    const answer = await peer.answer()
    expect(refusalOf(answer)).toEqual({ status: 501, code: "upgrade-not-supported" })
    expect(answer.header("connection")).toBe("close")
    peer.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
    expect(await peer.closed()).toBe("")
    expect(server.requests).toEqual([])
  })

  test("is refused where a proxy in front has removed its Upgrade", async () => {
    const server = await startServer()
    const peer = await server.connect()
    peer.send("GET /a HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    expect(refusalOf(await peer.answer())).toEqual({ status: 501, code: "upgrade-not-supported" })
  })

  test("is refused before its body is asked for", async () => {
    const server = await startServer()
    const peer = await server.connect()
    peer.send(`POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n${WEBSOCKET}\r\n`)
    expect(refusalOf(await peer.answer())).toEqual({ status: 501, code: "upgrade-not-supported" })
  })

  test.each([
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
    "connection: upgrade\r\nupgrade: H2C, h2c\r\n",
    "Upgrade: h2c\r\nUpgrade: h2c\r\n",
  ])(
    "is ignored where it only offers HTTP/2, as the JDK does, and nothing that follows is read: %j",
    async (headers) => {
      const server = await startServer()
      for (const [request, body] of [
        ["POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4", "body"],
        ["GET /b HTTP/1.1\r\nHost: a", ""],
      ]) {
        const peer = await server.connect()
        peer.send(
          `${request}\r\n${headers}\r\n${body}POST /c HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n`,
        )
        const answer = await peer.answer()
        expect([answer.status, answer.header("connection")]).toEqual([200, "close"])
        peer.send("GET /in-the-body-of-c HTTP/1.1\r\nHost: a\r\n\r\n")
        expect(await peer.closed()).toBe("")
      }
      expect(server.requests.map(({ target }) => target)).toEqual(["/a", "/b"])
    },
  )

  test("is ignored in HTTP/1.0, which has none", async () => {
    const server = await startServer()
    const peer = await server.connect()
    peer.send(`GET /a HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n${WEBSOCKET}\r\n`)
    const answer = await peer.answer()
    expect([answer.status, answer.header("connection")]).toEqual([200, "close"])
  })
})

describe("HTTP/2 without negotiation", () => {
  test("is answered with a GOAWAY that asks for HTTP/1.1", async () => {
    const server = await startServer()
    expect(await goAwayOf((await server.connect()).socket)).toEqual(HTTP_1_1_REQUIRED)
    expect(server.requests).toEqual([])
  })

  test("is answered so at the forward proxy, and in its tunnels with and without TLS", async () => {
    const world = await startForwardWorld()
    onTestFinished(() => world.close())
    await world.addRelay(world.sandbox.app, "http://plain.example.com")
    await world.addRelay(world.sandbox.app, "api.example.com")
    const openTunnel = async (target: string) => {
      const tunnel = await world.open()
      const credentials = `Proxy-Authorization: ${basic(world.sandbox.auth)}`
      expect(await world.connect(target, [credentials], tunnel)).toMatchObject({ status: 200 })
      return tunnel
    }
    expect(await goAwayOf(await world.open())).toEqual(HTTP_1_1_REQUIRED)
    expect(await goAwayOf(await openTunnel("plain.example.com:80"))).toEqual(HTTP_1_1_REQUIRED)
    const secured = await world.secure(await openTunnel("api.example.com:443"), "api.example.com")
    expect(await goAwayOf(secured)).toEqual(HTTP_1_1_REQUIRED)
  })

  test("is not answered before the request that came first", async () => {
    const server = await startServer()
    const peer = await server.connect()
    peer.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    expect((await peer.answer()).status).toBe(200)
    expect(await peer.closed()).toBe("")
  })
})
