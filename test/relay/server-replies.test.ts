import { Readable } from "node:stream"
import { setImmediate as turn } from "node:timers/promises"
import type { OutboundReply } from "@sealway/relay-proxy/testing"
import { describe, expect, test } from "vitest"
import { connectTo, refusalOf, reply, startServer } from "./server-world.ts"

const GET = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
const streamOf = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)))

/** Returns the head of the answer to a request on a new connection. */
async function exchangeOnce(port: number) {
  const peer = await connectTo(port)
  peer.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
  return peer.answer({ toHead: true })
}

describe("an answer", () => {
  test("has its headers in order, case and number, and every byte of them", async () => {
    const rawHeaders = [
      "x-B",
      "1",
      "X-a",
      "\xe9\xff",
      "SET-Cookie",
      "b=2",
      "x-B",
      "3",
      "Set-Cookie",
      "a=1",
      "Date",
      "d",
    ]
    const server = await startServer(async () =>
      reply({ status: 201, statusMessage: "Made it", rawHeaders, body: Buffer.from([0, 255, 128]) }),
    )
    const peer = await server.connect()
    peer.send(GET)
    const { statusLine, headers, body } = await peer.answer()
    expect(statusLine).toBe("HTTP/1.1 201 Made it")
    expect(headers.slice(0, 6).flat()).toEqual(rawHeaders)
    expect(Buffer.from(body, "latin1")).toEqual(Buffer.from([0, 255, 128]))
  })

  test("keeps the place of its length, which is that of its body whatever the handler said", async () => {
    const server = await startServer(async () =>
      reply({
        rawHeaders: ["content-LENGTH", "999", "X-A", "b", "Content-Length", "7"],
        body: Buffer.from("four"),
      }),
    )
    const peer = await server.connect()
    peer.send(GET)
    const { headers, body } = await peer.answer()
    expect(headers.slice(0, 2)).toEqual([
      ["content-LENGTH", "4"],
      ["X-A", "b"],
    ])
    expect(headers.filter(([name]) => name.toLowerCase() === "content-length")).toHaveLength(1)
    expect(body).toBe("four")
  })

  test("has framing and connection headers from the server only", async () => {
    const server = await startServer(async () =>
      reply({
        rawHeaders: ["Transfer-Encoding", "chunked", "Connection", "close, x-a"],
        body: Buffer.from("b"),
      }),
    )
    const peer = await server.connect()
    peer.send(GET)
    const first = await peer.answer()
    expect(first.header("transfer-encoding")).toBeUndefined()
    expect(first.header("connection")).toBe("keep-alive")
    peer.send(GET)
    expect((await peer.answer()).body).toBe("b")
  })

  test.each([
    ["to HEAD", "HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n", 200, "1234"],
    ["304", GET, 304, "1234"],
    ["204", GET, 204, undefined],
  ])("has no body, and has its length only where that is useful: %s", async (_, message, status, length) => {
    const server = await startServer(async () =>
      reply({ status, rawHeaders: ["Content-Length", "1234"], body: streamOf("never sent") }),
    )
    const peer = await server.connect()
    peer.send(message + message)
    for (const _time of [1, 2]) {
      const answer = await peer.answer({ toHead: true })
      expect(answer.status).toBe(status)
      expect(answer.header("content-length")).toBe(length)
      expect(answer.header("transfer-encoding")).toBeUndefined()
    }
  })

  test("is streamed in chunks when its length is not known", async () => {
    const server = await startServer(async () => reply({ body: streamOf("one", "two") }))
    const peer = await server.connect()
    peer.send(GET + GET)
    for (const _time of [1, 2]) {
      expect(await peer.until("\r\n\r\n")).toContain("Transfer-Encoding: chunked\r\n")
      expect(await peer.until("0\r\n\r\n")).toBe("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
    }
  })

  test("ends with the connection for a client of HTTP/1.0", async () => {
    const server = await startServer(async () => reply({ body: streamOf("one", "two") }))
    const peer = await server.connect()
    peer.send("GET /a HTTP/1.0\r\nHost: a\r\n\r\n")
    expect(await peer.closed()).toMatch(/^HTTP\/1\.1 200 OK\r\n(?!.*chunked).*\r\n\r\nonetwo$/s)
  })

  test.each([
    ["streamed", () => streamOf("one")],
    ["whole", () => Buffer.from("one")],
  ])("has the trailers that are allowed after a body: %s", async (_, body) => {
    const trailers = ["X-Sum", "1", "Content-Length", "9", "Set-Cookie", "a=b", "x-sum", "2", "Host", "b"]
    const server = await startServer(async () => reply({ body: body(), trailers: () => trailers }))
    const peer = await server.connect()
    peer.send(GET)
    await peer.until("\r\n\r\n")
    expect(await peer.until("x-sum: 2\r\n\r\n")).toBe("3\r\none\r\n0\r\nX-Sum: 1\r\nx-sum: 2\r\n\r\n")
  })

  test("is cut off when its stream is cut off", async () => {
    const server = await startServer(async () => {
      const body = new Readable({ read: () => undefined })
      body.push("some")
      setImmediate(() => body.destroy(new Error("gone")))
      return reply({ rawHeaders: ["Content-Length", "10"], body })
    })
    const peer = await server.connect()
    peer.send(GET)
    expect(await peer.closed()).toMatch(/\r\n\r\n(some)?$/)
    expect(await server.isServing()).toBe(true)
  })

  test.each([
    ["longer", "5", "sixsix"],
    ["shorter", "7", "sixsix"],
  ])("is cut off when its stream is %s than announced", async (_, length, content) => {
    const server = await startServer(async () =>
      reply({ rawHeaders: ["Content-Length", length], body: streamOf(content) }),
    )
    const peer = await server.connect()
    peer.send(GET + GET)
    const all = await peer.closed()
    // No second answer can be read from, or after, the first.
    expect(all.split("HTTP/1.1 ").length).toBeLessThanOrEqual(2)
    expect(server.requests).toHaveLength(1)
  })

  test("is proxy-error when it cannot be written as HTTP", async () => {
    const server = await startServer(async () => reply({ rawHeaders: ["X-A", "b\r\nX-C: d"] }))
    const peer = await server.connect()
    peer.send(GET)
    const answer = await peer.answer()
    expect(refusalOf(answer)).toEqual({ status: 502, code: "proxy-error" })
    expect(answer.header("x-c")).toBeUndefined()
  })

  test("closes its stream when it cannot be written as HTTP, so that the exchange ends", async () => {
    const body = streamOf("a", "b")
    const server = await startServer(async () => reply({ rawHeaders: ["X-A", "a\0b"], body }))
    const peer = await server.connect()
    peer.send(GET)
    expect(refusalOf(await peer.answer())).toEqual({ status: 502, code: "proxy-error" })
    await expect.poll(() => body.closed).toBe(true)
  })

  test("has the usual reason phrase when its own cannot be written", async () => {
    const server = await startServer(async () => reply({ status: 404, statusMessage: "No\r\nX-C: d" }))
    const peer = await server.connect()
    peer.send(GET)
    expect((await peer.answer()).statusLine).toBe("HTTP/1.1 404 Not Found")
  })

  test("is internal-server-error when a handler fails, and reveals nothing of the error", async () => {
    const failure = new TypeError("secret")
    const server = await startServer(() => Promise.reject(failure))
    const peer = await server.connect()
    peer.send(GET)
    const answer = await peer.answer()
    expect(refusalOf(answer)).toEqual({ status: 500, code: "internal-server-error" })
    expect(answer.body).not.toContain("secret")
    expect(server.errors).toEqual([failure])
  })
})

describe("a client that does not read", () => {
  test("holds a stream up, so that nothing piles up", async () => {
    let produced = 0
    const server = await startServer(async () =>
      reply({
        body: new Readable({
          read() {
            produced += 65_536
            this.push(produced > 50_000_000 ? null : Buffer.alloc(65_536))
          },
        }),
      }),
    )
    const peer = await server.connect()
    peer.socket.pause()
    peer.send(GET)
    for (let last = -1; produced !== last || produced === 0; await turn()) last = produced
    expect(produced).toBeLessThan(20_000_000)
    peer.socket.destroy()
    expect(await server.isServing()).toBe(true)
  })

  test.each([
    ["whole", () => Buffer.alloc(30_000_000)],
    ["streamed", () => Readable.from([Buffer.alloc(30_000_000)])],
  ])("is disconnected when all of its answer is on its way: %s", async (_, body) => {
    const gone = Promise.withResolvers<void>()
    const server = await startServer(
      async ({ signal }) => {
        signal.addEventListener("abort", () => gone.resolve())
        return reply({ body: body() })
      },
      { limits: { stallTimeoutMs: 50 } },
    )
    const peer = await server.connect()
    peer.socket.pause()
    peer.send(GET)
    await gone.promise
    const { status } = await exchangeOnce(server.port)
    expect(status).toBe(200)
  })

  test("is disconnected when it reads a little of an answer in memory again and again, but not all in time", async () => {
    const gone = Promise.withResolvers<void>()
    const server = await startServer(
      async ({ signal }) => {
        signal.addEventListener("abort", () => gone.resolve())
        return reply({ body: Buffer.alloc(30_000_000) })
      },
      { limits: { headersTimeoutMs: 200, requestTimeoutMs: 200 } },
    )
    const peer = await server.connect()
    peer.socket.pause()
    let received = 0
    peer.socket.on("data", (chunk) => {
      received += chunk.length
      peer.socket.pause()
    })
    peer.send(GET)
    const sips = setInterval(() => peer.socket.resume(), 20)
    await gone.promise
    clearInterval(sips)
    expect(received).toBeLessThan(30_000_000)
  })

  test.each([
    ["whole", () => Buffer.alloc(30_000_000)],
    ["streamed", () => Readable.from([Buffer.alloc(30_000_000)])],
  ])("is disconnected though it keeps sending: %s", async (_, body) => {
    const gone = Promise.withResolvers<void>()
    const server = await startServer(
      async ({ signal }) => {
        signal.addEventListener("abort", () => gone.resolve())
        return reply({ body: body() })
      },
      { limits: { stallTimeoutMs: 100 } },
    )
    const peer = await server.connect()
    peer.socket.pause()
    peer.socket.on("error", () => {})
    peer.send(`${GET}GET / HTTP/1.1\r\nX-Long: `)
    const sending = setInterval(() => peer.send("x"), 10)
    await gone.promise
    clearInterval(sending)
    expect(await server.isServing()).toBe(true)
  })
})

describe("an interim answer", () => {
  test("is passed on, without hop-by-hop headers", async () => {
    const server = await startServer(async ({ onInformation }) => {
      onInformation?.(103, ["Link", "</a.css>; rel=preload", "Connection", "x-b", "X-B", "c"])
      onInformation?.(102, [])
      return reply()
    })
    const peer = await server.connect()
    peer.send(GET)
    const hints = await peer.answer()
    expect(hints.status).toBe(103)
    expect(hints.headers.map(([name]) => name)).toEqual(["Link", "Via"])
    expect((await peer.answer()).status).toBe(102)
    expect((await peer.answer()).status).toBe(200)
  })

  test("is not sent to a client of HTTP/1.0", async () => {
    const server = await startServer(async ({ onInformation }) => {
      onInformation?.(103, [])
      return reply()
    })
    const peer = await server.connect()
    peer.send("GET /a HTTP/1.0\r\nHost: a\r\n\r\n")
    expect((await peer.answer()).status).toBe(200)
  })
})

describe("a buffered answer", () => {
  const LARGE = Buffer.alloc(60_000_000)
  /** Starts a server that answers so, and counts how often it has said that the answer is no longer buffered. */
  async function serving(given: Partial<OutboundReply>) {
    let released = 0
    const release = () => {
      released += 1
    }
    const server = await startServer(async () => reply({ ...given, release }))
    return { client: await server.connect(), released: () => released }
  }

  test("is released when the client has read it, not before", async () => {
    const { client, released } = await serving({ body: LARGE })
    client.socket.pause()
    client.send(GET)
    for (let each = 0; each < 50; each += 1) await turn()
    expect(released()).toBe(0)
    // To put so many pieces together would take long.
    client.socket.removeAllListeners("data").on("data", () => undefined)
    client.socket.resume()
    await expect.poll(released, { timeout: 20_000 }).toBeGreaterThan(0)
  })

  test("is released when the client leaves before it has read it", async () => {
    const { client, released } = await serving({ body: LARGE })
    client.socket.pause()
    client.send(GET)
    for (let each = 0; each < 50; each += 1) await turn()
    expect(released()).toBe(0)
    client.socket.destroy()
    await expect.poll(released, { timeout: 20_000 }).toBeGreaterThan(0)
  })

  test.each([
    ["a small body", { body: Buffer.from("ok") }, GET],
    ["no body", { body: null }, GET],
    ["a body to HEAD", { body: Buffer.from("ok") }, GET.replace("GET", "HEAD")],
    ["one that cannot be written", { rawHeaders: ["a b", "c"], body: Buffer.from("ok") }, GET],
    [
      "one before the request's end",
      { body: Buffer.from("ok") },
      "PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nx",
    ],
  ])("is released after %s", async (_, given, sent) => {
    const { client, released } = await serving(given)
    client.send(sent)
    await client.answer({ toHead: sent.startsWith("HEAD") })
    client.socket.end()
    await expect.poll(released, { timeout: 20_000 }).toBeGreaterThan(0)
  })
})
