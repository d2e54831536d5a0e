import { Readable } from "node:stream"
import type { UpstreamRequest } from "@sealway/relay-proxy/testing"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { failureOf, OK, requestTo, settled } from "./server-upstream-world.ts"
import { startDestination, startUpstream } from "./server-world.ts"

const streamOf = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)))

/** Returns everything that a destination gets of a request, up to a text. */
async function sentAs(given: Partial<UpstreamRequest>, end: string): Promise<string> {
  const destination = await startDestination()
  const sent = startUpstream().send(requestTo(destination.port, given))
  const peer = await destination.peer(0)
  const bytes = await peer.until(end)
  peer.send(OK)
  await sent
  return bytes
}

const HEADERS = ["User-Agent", "u", "HOST", "h:81", "content-LENGTH", "999", "accept", "*/*", "X-a", ""]

describe("the head of a request goes out", () => {
  test.each([
    ["whole", () => Buffer.from("12345"), 5, "content-LENGTH: 5\r\n", "", "\r\n12345"],
    ["a stream of known size", () => streamOf("123", "45"), 5, "content-LENGTH: 5\r\n", "", "\r\n12345"],
    [
      "a stream",
      () => streamOf("123", "45"),
      null,
      "",
      "transfer-encoding: chunked\r\n",
      "\r\n3\r\n123\r\n2\r\n45\r\n0\r\n\r\n",
    ],
    ["a stream of nothing", () => streamOf(), null, "content-LENGTH: 0\r\n", "", "\r\n"],
    ["none", () => null, null, "content-LENGTH: 0\r\n", "", "\r\n"],
  ])("with the client's order and letter case when its body is %s", async (...given) => {
    const [, body, contentLength, length, framing, rest] = given
    const expected = `POST /a HTTP/1.1\r\nUser-Agent: u\r\nHOST: h:81\r\n${length}accept: */*\r\nX-a: \r\n${framing}${rest}`
    const method = "POST"
    const end = `\r\n${rest}`
    expect(await sentAs({ method, rawHeaders: HEADERS, body: body(), contentLength }, end)).toBe(expected)
  })

  test("with the length at its end when the client sent none", async () => {
    const body = Buffer.from("{}")
    expect(await sentAs({ method: "POST", rawHeaders: ["x", "1", "hOST", "h"], body }, "{}")).toBe(
      "POST /a HTTP/1.1\r\nx: 1\r\nhOST: h\r\ncontent-length: 2\r\n\r\n{}",
    )
  })

  test("with one length when the client sent several", async () => {
    const rawHeaders = ["Host", "h", "Content-Length", "5", "x", "1", "content-length", "5"]
    expect(await sentAs({ method: "PUT", rawHeaders, body: Buffer.from("12") }, "12")).toBe(
      "PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nx: 1\r\n\r\n12",
    )
  })

  test.each(["GET", "DELETE", "OPTIONS", "REPORT"])(
    "without a length of its own to %s without a body",
    async (method) => {
      expect(await sentAs({ method, rawHeaders: ["A", "b", "Host", "h"] }, "\r\n\r\n")).toBe(
        `${method} /a HTTP/1.1\r\nA: b\r\nHost: h\r\n\r\n`,
      )
    },
  )

  test("with the length of 0 that a client sent for no body", async () => {
    expect(await sentAs({ rawHeaders: ["Content-Length", "0", "Host", "h"] }, "\r\n\r\n")).toBe(
      "GET /a HTTP/1.1\r\nContent-Length: 0\r\nHost: h\r\n\r\n",
    )
  })

  test("saying that the connection closes where it does: after HEAD", async () => {
    expect(await sentAs({ method: "HEAD", rawHeaders: ["Host", "h"] }, "\r\n\r\n")).toBe(
      "HEAD /a HTTP/1.1\r\nHost: h\r\nconnection: close\r\n\r\n",
    )
  })

  test("as it came though target, headers and body look like the internal placeholders", async () => {
    const inside = "host: a\r\nconnection: keep-alive\r\nx-head: 1\r\n\r\n"
    const rawHeaders = ["Host", "h", "x-head", "1", "Connection-Id", "keep-alive"]
    const given = { method: "POST", target: "/x-head:%201?HTTP/1.1\xe9", rawHeaders }
    for (const body of [Buffer.from(inside), streamOf(inside)]) {
      const contentLength = inside.length
      expect(await sentAs({ ...given, body, contentLength }, inside)).toBe(
        "POST /x-head:%201?HTTP/1.1\xe9 HTTP/1.1\r\nHost: h\r\nx-head: 1\r\nConnection-Id: keep-alive\r\n" +
          `content-length: ${inside.length}\r\n\r\n${inside}`,
      )
    }
  })

  test("with its own content, when many wait for few connections, some leave and some stream", async () => {
    const destination = await startDestination()
    const upstream = startUpstream({ limits: { maxConnections: 2 } })
    const leaving = new AbortController()
    const count = 24
    const sent = Array.from({ length: count }, (_, index) => {
      const rawHeaders = ["A", `a${index}`, "HoSt", `h${index}`]
      const body = index % 3 === 0 ? null : index % 3 === 1 ? Buffer.from(`b${index}`) : streamOf(`b${index}`)
      const signal = index % 4 === 3 ? leaving.signal : new AbortController().signal
      const given = { method: "POST", target: `/${index}`, rawHeaders, body, signal }
      return failureOf(upstream.send(requestTo(destination.port, given)))
    })
    leaving.abort()
    const seen: string[] = []
    const serve = async (number: number) => {
      const peer = await destination.peer(number)
      for (;;) {
        const head = await peer.until("\r\n\r\n")
        if (head === "") return
        const [, path] = /^POST \/([0-9]+) HTTP\/1\.1\r\n/.exec(head) ?? []
        seen.push(path ?? head)
        expect(head).toContain(`\r\nA: a${path}\r\nHoSt: h${path}\r\n`)
        if (Number(path) % 3 !== 0) await peer.until(`b${path}`)
        if (Number(path) % 3 === 2) await peer.until("\r\n0\r\n\r\n")
        peer.send(OK)
      }
    }
    // A request that leaves while it waits takes the connection along that would have been its turn.
    const served = Array.from({ length: count }, (_, number) => serve(number))
    const results = await Promise.all(sent)
    const stayed = results.flatMap((result, index) => (result.code === "none" ? [String(index)] : []))
    expect(stayed).toHaveLength(18)
    expect(seen.filter((each) => stayed.includes(each)).sort()).toEqual(stayed.sort())
    void served
  })

  test("on the next connection when the one before was closed", async () => {
    const destination = await startDestination()
    const upstream = startUpstream()
    for (const number of [0, 1]) {
      const rawHeaders = ["A", String(number), "HOST", "h"]
      const sent = upstream.send(requestTo(destination.port, { rawHeaders }))
      const peer = await destination.peer(number)
      expect(await peer.until("\r\n\r\n")).toBe(`GET /a HTTP/1.1\r\nA: ${number}\r\nHOST: h\r\n\r\n`)
      peer.send(OK)
      await sent
      peer.socket.end()
      await peer.closed()
      await settled()
    }
  })

  test("with every header that HTTP can carry, byte for byte", async () => {
    const destination = await startDestination()
    const upstream = startUpstream()
    const name = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/)
    const value = fc.stringMatching(/^[!-~\xa1-\xff]([\t -~\x80-\xff]{0,20}[!-~\xa1-\xff])?$/)
    const header = fc.tuple(name, value).filter(([each]) => each.toLowerCase() !== "content-length")
    await fc.assert(
      fc.asyncProperty(fc.array(header, { maxLength: 8 }), fc.nat(8), async (headers, at) => {
        headers.splice(at, 0, ["CONTENT-length", "0"])
        const sent = upstream.send(requestTo(destination.port, { rawHeaders: headers.flat() }))
        const peer = await destination.peer(0)
        const lines = headers.map(([each, text]) => `${each}: ${text}\r\n`).join("")
        expect(await peer.until("\r\n\r\n")).toBe(`GET /a HTTP/1.1\r\n${lines}\r\n`)
        peer.send(OK)
        await sent
        await settled()
      }),
      { numRuns: 60 },
    )
  })
})

describe("a request is refused with proxy-error, unsent,", () => {
  test.each([
    ["a line break in a value", ["X", "a\r\nY: b"]],
    ["a lone line feed in a value", ["X", "a\nY: b"]],
    ["NUL in a value", ["X", "a\0"]],
    ["a value beyond Latin-1", ["X", "\u{10a}"]],
    ["a colon in a name", ["X: a\r\nY", "b"]],
    ["a blank in a name", ["X ", "b"]],
    ["an empty name", ["", "b"]],
  ])("when a header has %s", async (_, rawHeaders) => {
    const destination = await startDestination()
    const upstream = startUpstream({ limits: { maxInFlight: 1 } })
    const sent = failureOf(
      upstream.send(requestTo(destination.port, { rawHeaders: ["Host", "h", ...rawHeaders] })),
    )
    expect(await sent).toEqual({ code: "proxy-error", stage: "request" })
    expect(destination.peers).toEqual([])
    // Nor does it occupy the next one's place.
    const next = upstream.send(requestTo(destination.port))
    const peer = await destination.peer(0)
    await peer.until("\r\n\r\n")
    peer.send(OK)
    expect((await next).status).toBe(200)
  })
})
