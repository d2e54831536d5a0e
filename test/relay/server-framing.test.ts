import { describe, expect, test } from "vitest"
import { connectTo, refusalOf, startServer } from "./server-world.ts"

const HEAD = "POST /a HTTP/1.1\r\nHost: a\r\n"
/** A request that must not be served when it is hidden in another one. */
const SMUGGLED = "PUT /smuggled HTTP/1.1\r\nHost: smuggled\r\nContent-Length: 0\r\n\r\n"
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`

/** Messages that end their connection: what follows them is ambiguous. */
const BAD_MESSAGES: readonly [title: string, code: string, status: number, message: string][] = [
  ["two lengths that differ", "bad-request", 400, `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\naa`],
  ["two lengths that agree", "bad-request", 400, `${HEAD}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`],
  [
    "length, then chunks",
    "bad-request",
    400,
    `${HEAD}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    "chunks, then length",
    "bad-request",
    400,
    `${HEAD}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`,
  ],
  ["another transfer coding", "bad-request", 400, `${HEAD}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  [
    "a coding after chunked",
    "bad-request",
    400,
    `${HEAD}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  ],
  ["a coding before chunked", "bad-request", 400, `${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  [
    "two transfer codings in two fields",
    "bad-request",
    400,
    `${HEAD}Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    "chunks twice, in two fields",
    "bad-request",
    400,
    `${HEAD}Transfer-Encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    "chunks in HTTP/1.0",
    "bad-request",
    400,
    "POST /a HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  [
    "chunks for a target that is none",
    "bad-request",
    400,
    "POST a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["a space before the colon", "bad-request", 400, `${HEAD}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
  ["a folded header", "bad-request", 400, `${HEAD}X-Folded: a\r\n b\r\n\r\n`],
  ["bare line feeds", "bad-request", 400, "POST /a HTTP/1.1\nHost: a\n\n"],
  ["a bare line feed between headers", "bad-request", 400, `${HEAD}X-A: b\nX-B: c\r\n\r\n`],
  ["a bare carriage return in a header", "bad-request", 400, `${HEAD}X-A: b\rc\r\n\r\n`],
  ["a NUL in a header", "bad-request", 400, `${HEAD}X-A: b\0c\r\n\r\n`],
  ["a NUL in the target", "bad-request", 400, "POST /a\0 HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["a header without colon", "bad-request", 400, `${HEAD}Nonsense\r\n\r\n`],
  ["a method in small letters", "bad-request", 400, "post /a HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["an unknown version", "bad-request", 400, "POST /a HTTP/9.9\r\nHost: a\r\n\r\n"],
  ["TLS", "bad-request", 400, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["a length in hexadecimal", "content-length-required", 411, `${HEAD}Content-Length: 0x1\r\n\r\na`],
  ["a signed length", "content-length-required", 411, `${HEAD}Content-Length: +1\r\n\r\na`],
  ["a negative length", "content-length-required", 411, `${HEAD}Content-Length: -1\r\n\r\na`],
  ["a list of lengths", "content-length-required", 411, `${HEAD}Content-Length: 1, 1\r\n\r\na`],
  ["a length in letters", "content-length-required", 411, `${HEAD}Content-Length: many\r\n\r\na`],
  [
    "a length beyond all numbers",
    "content-length-required",
    411,
    `${HEAD}Content-Length: 99999999999999999999\r\n\r\n`,
  ],
  ["CONNECT", "http-connect-not-allowed", 405, "CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n\r\n"],
]

describe("anything but one well-formed request is refused, and nothing after it is served", () => {
  test.each(BAD_MESSAGES)("%s: %s", async (_, code, status, message) => {
    const server = await startServer()
    const peer = await server.connect()
    peer.send(message + SMUGGLED)
    expect(refusalOf(await peer.answer())).toEqual({ status, code })
    expect(await peer.closed()).toBe("")
    expect(server.requests).toEqual([])
    expect(await server.isServing()).toBe(true)
  })

  test.each([
    ["a size that is no number", "zz\r\na\r\n0\r\n\r\n"],
    ["a chunk longer than its size", "1\r\naa\r\n0\r\n\r\n"],
    ["a chunk that ends in a bare line feed", "1\r\na\n0\r\n\r\n"],
    ["a size that ends in a bare line feed", "1\na\r\n0\r\n\r\n"],
    ["a size beyond all numbers", "fffffffffffffffff\r\na\r\n0\r\n\r\n"],
    ["extensions without end", `1;${"x".repeat(20_000)}\r\na\r\n0\r\n\r\n`],
    ["a trailer without colon", "0\r\nnonsense\r\n\r\n"],
  ])("chunks with %s: bad-request", async (_, chunks) => {
    const server = await startServer(async ({ body }) => {
      for await (const _chunk of Object(body));
      throw new TypeError("The body came to its end.")
    })
    const peer = await server.connect()
    peer.send(CHUNKED + chunks + SMUGGLED)
    const { status } = await peer.answer()
    expect([400, 500]).toContain(status)
    await peer.closed()
    expect(server.requests.map(({ target }) => target)).not.toContain("/smuggled")
    expect(server.errors).toMatchObject([{ name: "RelayError", code: "bad-request" }])
  })
})

describe("a request that the parser accepts", () => {
  test.each([
    ["no Host", "GET /a HTTP/1.1\r\n\r\n"],
    ["two Hosts", "GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
    ["two Hosts in HTTP/1.0", "GET /a HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"],
    ["no Host in HTTP/1.0", "GET /a HTTP/1.0\r\n\r\n"],
    ["a Host with credentials", "GET /a HTTP/1.1\r\nHost: a@b\r\n\r\n"],
    ["a Host with a path", "GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n"],
    ["a list of Hosts", "GET /a HTTP/1.1\r\nHost: a, b\r\n\r\n"],
    ["a Host with port 0", "GET /a HTTP/1.1\r\nHost: a:0\r\n\r\n"],
    ["a Host with a port beyond 65535", "GET /a HTTP/1.1\r\nHost: a:65536\r\n\r\n"],
    ["bytes above 127 in the target", "GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a fragment in the target", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["the asterisk form", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["credentials in the target", "GET http://a@b/ HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a target of another scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["TRACE", "TRACE /a HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["OPTIONS that may go no further", "OPTIONS /a HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n"],
    ["chunks in HTTP/1.0", "POST /a HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a coding before chunked", `${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ["chunked twice", `${HEAD}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ])("is refused with bad-request for %s", async (_, message) => {
    const server = await startServer()
    const peer = await server.connect()
    peer.send(message)
    expect(refusalOf(await peer.answer())).toEqual({ status: 400, code: "bad-request" })
    expect(server.requests).toEqual([])
  })

  test.each(["POST", "PUT", "PATCH"])(
    "is refused with content-length-required for %s without a length",
    async (method) => {
      const server = await startServer()
      const peer = await server.connect()
      peer.send(`${method} /a HTTP/1.1\r\nHost: a\r\n\r\n`)
      expect(refusalOf(await peer.answer())).toEqual({ status: 411, code: "content-length-required" })
      // The connection is still usable.
      peer.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
      expect((await peer.answer()).status).toBe(200)
    },
  )

  test.each([
    ["without subtype", "Content-Type: json"],
    ["with parameters that are none", "Content-Type: text/plain; charset"],
    ["that comes twice", "Content-Type: text/plain\r\nContent-Type: application/json"],
    ["with control characters", "Content-Type: text/plain; a=\x7f"],
  ])("is refused with invalid-content-type for a Content-Type %s", async (_, header) => {
    const server = await startServer()
    const peer = await server.connect()
    peer.send(`${HEAD}${header}\r\nContent-Length: 2\r\n\r\n{}`)
    const refusal = refusalOf(await peer.answer())
    if (header.includes("\x7f")) expect(refusal.status).toBeGreaterThanOrEqual(400)
    else expect(refusal).toEqual({ status: 415, code: "invalid-content-type" })
    expect(server.requests).toEqual([])
  })
})

describe("the relay of a request", () => {
  test.each([
    [
      "Host, in lower case",
      "GET /a?b=c HTTP/1.1\r\nHost: Api.Example.COM\r\n\r\n",
      "api.example.com",
      null,
      "/a?b=c",
    ],
    ["Host with port", "GET / HTTP/1.1\r\nHost: api.example.com:8443\r\n\r\n", "api.example.com", 8443, "/"],
    [
      "Host with a final dot",
      "GET / HTTP/1.1\r\nHost: api.example.com.\r\n\r\n",
      "api.example.com",
      null,
      "/",
    ],
    ["an IPv6 address", "GET / HTTP/1.1\r\nHost: [0:0::1]:80\r\n\r\n", "::1", 80, "/"],
    [
      "the target's host, whatever Host says",
      "GET http://b.example/x?y HTTP/1.1\r\nHost: a\r\n\r\n",
      "b.example",
      null,
      "/x?y",
    ],
    [
      "the target's host without path",
      "GET https://b.example?y HTTP/1.1\r\nHost: a\r\n\r\n",
      "b.example",
      null,
      "/?y",
    ],
    [
      "an odd path, byte for byte",
      "GET //a/../%2F%2e/;x=1?&&=%zz HTTP/1.1\r\nHost: a\r\n\r\n",
      "a",
      null,
      "//a/../%2F%2e/;x=1?&&=%zz",
    ],
  ])("is named by %s", async (_, message, host, port, target) => {
    const server = await startServer()
    const peer = await server.connect()
    peer.send(message)
    expect((await peer.answer()).status).toBe(200)
    expect(server.requests).toMatchObject([{ host, port, target, mode: "reverse", ip: "127.0.0.1" }])
  })

  test("is not named by forwarding headers, which pass unchanged", async () => {
    const server = await startServer()
    const peer = await server.connect()
    peer.send("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Host: b\r\n\r\n")
    await peer.answer()
    expect(server.requests).toMatchObject([
      {
        ip: "127.0.0.1",
        host: "a",
        rawHeaders: ["Host", "a", "X-Forwarded-For", "1.2.3.4", "X-Forwarded-Host", "b"],
      },
    ])
  })
})

describe("a forward proxy's server", () => {
  const requestTo = async (message: string, options: Parameters<typeof startServer>[1] = {}) => {
    const server = await startServer(undefined, { mode: "forward", ...options })
    const peer = await connectTo(server.port)
    peer.send(message)
    return { answer: await peer.answer(), requests: server.requests }
  }

  test("accepts http:// targets, with their port or 80", async () => {
    const { requests } = await requestTo("GET http://api.example/a HTTP/1.1\r\nHost: other\r\n\r\n")
    expect(requests).toMatchObject([{ mode: "forward", host: "api.example", port: 80, target: "/a" }])
  })

  test.each([
    ["a path alone", "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["an https:// target", "GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a target without host", "GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a host that is none", "GET http://a_,b/ HTTP/1.1\r\nHost: a\r\n\r\n"],
  ])("refuses %s with invalid-request", async (_, message) => {
    const { answer, requests } = await requestTo(message)
    expect(refusalOf(answer)).toEqual({ status: 400, code: "invalid-request" })
    expect(requests).toEqual([])
  })

  test("passes on requests for its own addresses", async () => {
    const { answer, requests } = await requestTo("GET /ca.pem HTTP/1.1\r\nHost: a\r\n\r\n", {
      onOriginForm: async ({ target }) => ({
        status: 200,
        statusMessage: null,
        rawHeaders: [],
        body: Buffer.from(`of ${target}`),
        trailers: () => [],
      }),
    })
    expect(answer.body).toBe("of /ca.pem")
    expect(requests).toEqual([])
  })

  test("passes on a connection that requests a tunnel", async () => {
    const { answer } = await requestTo("CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n\r\n", {
      onConnect: ({ url }, socket) => socket.end(`HTTP/1.1 200 ${url}\r\n\r\n`),
    })
    expect(answer.statusLine).toBe("HTTP/1.1 200 b:443")
  })
})
