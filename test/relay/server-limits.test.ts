import { once } from "node:events"
import { createServer } from "node:net"
import { createRelayServer, RELAY_LIMITS } from "@sealway/relay-proxy"
import { describe, expect, test } from "vitest"
import { bytesOf, connectTo, echo, refusalOf, reply, startServer } from "./server-world.ts"

const HEAD = "POST /a HTTP/1.1\r\nHost: a\r\n"
const sized = (bytes: number, more = "") => `${HEAD}${more}Content-Length: ${bytes}\r\n\r\n`
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`
const MULTIPART = "Content-Type: multipart/form-data; boundary=b\r\n"

/** Answers with the length of the body, or with the body's own error. */
const measure: typeof echo = async ({ body }) => {
  try {
    return reply({ body: Buffer.from(String((await bytesOf(body)).length)) })
  } catch (error) {
    return reply({ status: 400, body: Buffer.from(Object(error).code) })
  }
}

describe("a body's size", () => {
  test.each([
    ["without type", "", RELAY_LIMITS.maxBodyBytes],
    ["as JSON", "Content-Type: application/json\r\n", RELAY_LIMITS.maxBodyBytes],
    ["as a form with files", MULTIPART, RELAY_LIMITS.maxMultipartBytes],
  ])("is known by its length, and refused before a byte of it arrives, %s", async (_, header, maxBytes) => {
    const server = await startServer(async () => reply())
    const peer = await server.connect()
    peer.send(sized(maxBytes + 1, header))
    expect(refusalOf(await peer.answer())).toEqual({ status: 413, code: "payload-too-large" })
    expect(server.requests).toEqual([])
    const another = await server.connect()
    another.send(sized(maxBytes, header))
    expect((await another.answer()).status).toBe(200)
    expect(server.requests).toMatchObject([{ contentLength: maxBytes }])
  })

  test.each([
    ["payload-too-large", 413, sized(RELAY_LIMITS.maxBodyBytes + 1)],
    ["content-length-required", 411, `${HEAD}\r\n`],
    ["invalid-content-type", 415, sized(5, "Content-Type: json\r\n")],
    ["bad-request", 400, "TRACE /a HTTP/1.1\r\nHost: a\r\n\r\n"],
  ])(
    "is passed to the handler as refused with %s, without body and with its relay",
    async (code, status, head) => {
      const server = await startServer()
      const peer = await server.connect()
      peer.send(head)
      expect(refusalOf(await peer.answer())).toEqual({ status, code })
      expect(server.refused).toMatchObject([{ host: "a", target: "/a", body: null, refusal: { code } }])
      expect(server.requests).toEqual([])
    },
  )

  test("may be 700 KB in chunks and no more, counted as they arrive", async () => {
    const server = await startServer(measure)
    const peer = await server.connect()
    peer.send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk(358_400)}${chunk(358_400)}0\r\n\r\n`)
    expect(await peer.answer()).toMatchObject({ status: 200, body: "716800" })
    peer.send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk(358_400)}${chunk(358_401)}`)
    expect(await peer.answer()).toMatchObject({ status: 400, body: "payload-too-large" })
    expect(await server.isServing()).toBe(true)
  })

  test("decides whether the body is passed on whole or as a stream: up to 65,536 bytes", async () => {
    const server = await startServer(measure)
    for (const bytes of [1, 65_536, 65_537]) {
      const peer = await server.connect()
      peer.send(sized(bytes)).send("x".repeat(bytes))
      expect((await peer.answer()).body).toBe(String(bytes))
    }
    expect(server.requests.map(({ body }) => Buffer.isBuffer(body))).toEqual([true, true, false])
  })

  test("is null without a body", async () => {
    const server = await startServer(measure)
    const peer = await server.connect()
    peer.send(sized(0))
    await peer.answer()
    peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    await peer.answer()
    expect(server.requests).toMatchObject([{ body: null }, { body: null }])
  })
})

describe("a head", () => {
  test("may have 200 headers and no more", async () => {
    const server = await startServer()
    const flood = (headers: number) => `GET / HTTP/1.1\r\nHost: a\r\n${"X: y\r\n".repeat(headers - 1)}\r\n`
    const peer = await server.connect()
    peer.send(flood(200))
    expect((await peer.answer()).status).toBe(200)
    peer.send(flood(201))
    expect(refusalOf(await peer.answer())).toEqual({ status: 400, code: "bad-request" })
    expect(server.requests).toHaveLength(1)
  })

  test("may have 32 KB and no more, including line breaks", async () => {
    const server = await startServer()
    const peer = await server.connect()
    const head = (bytes: number) => {
      const start = "GET /path HTTP/1.1\r\nHost: a\r\nX: "
      return `${start}${"a".repeat(bytes - start.length - 2)}\r\n\r\n`
    }
    peer.send(head(32_768))
    expect((await peer.answer()).status).toBe(200)
    peer.send(head(32_769))
    expect(refusalOf(await peer.answer())).toEqual({ status: 400, code: "bad-request" })
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    ["header", `${HEAD}X-A: ${"a".repeat(40_000)}\r\n\r\n`],
    ["header without end", `${HEAD}X-A: ${"a".repeat(40_000)}`],
    ["target", `GET /${"a".repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ["number of headers without end", HEAD + "X: y\r\n".repeat(20_000)],
  ])("is refused with bad-request when its %s makes it longer than 32 KB", async (_, message) => {
    const server = await startServer()
    const peer = await server.connect()
    peer.send(message)
    expect(refusalOf(await peer.answer())).toEqual({ status: 400, code: "bad-request" })
    await peer.closed()
    expect(server.requests).toEqual([])
    expect(await server.isServing()).toBe(true)
  })
})

describe("a client that sends slowly", () => {
  const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200 }

  test.each([
    ["headers", "GET / HTTP/1.1\r\nHost: a\r\nX-A: "],
    ["nothing but the beginning of a method", "G"],
    ["a small body", `${sized(10)}12345`],
  ])("is refused with bad-request and disconnected: %s", async (_, message) => {
    const server = await startServer(echo, { limits })
    const peer = await server.connect()
    peer.send(message)
    expect(refusalOf(await peer.answer())).toEqual({ status: 400, code: "bad-request" })
    await peer.closed()
    expect(server.requests).toEqual([])
    expect(await server.isServing()).toBe(true)
  })

  test.each([
    ["of known size", `${sized(70_000)}12345`],
    ["in chunks", `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n`],
  ])("has its stream cut off with bad-request, %s", async (_, message) => {
    const server = await startServer(measure, { limits })
    const peer = await server.connect()
    peer.send(message)
    expect(await peer.answer()).toMatchObject({ status: 400, body: "bad-request" })
    await peer.closed()
  })

  test("is disconnected on a socket that the server was given, too", async () => {
    const server = createRelayServer({ handler: echo, log: { error: () => undefined }, limits })
    const listener = createServer((socket) => server.serve(socket, { ip: "192.0.2.1" }))
    listener.listen(0, "127.0.0.1")
    await once(listener, "listening")
    const address = Object(listener.address())
    const peer = await connectTo(address.port)
    peer.send("GET / HTTP/1.1\r\nHost: a\r\nX-A: ")
    expect(refusalOf(await peer.answer())).toEqual({ status: 400, code: "bad-request" })
    await peer.closed()
    await server.close()
    listener.close()
  })
})
