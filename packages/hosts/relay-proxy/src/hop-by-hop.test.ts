import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { forwardRequestHeaders, forwardResponseHeaders, forwardTrailers } from "./hop-by-hop.ts"

const TO = { host: "b.example:8443", method: "POST" }
const VIA = ["Via", "1.1 sealway-relay"]

const HOP_BY_HOP = [
  "Connection",
  "Keep-Alive",
  "Proxy-Connection",
  "Proxy-Authenticate",
  "Proxy-Authorization",
  "Proxy-Authentication-Info",
  "TE",
  "Trailer",
  "Transfer-Encoding",
  "Upgrade",
  "HTTP2-Settings",
]

describe("request headers", () => {
  test("are forwarded with order, case and duplicates kept, and the destination's Host in place of the client's", () => {
    const forwarded = forwardRequestHeaders(
      ["x-B", "1", "HOST", "a.example", "X-a", "\xff", "x-b", "2", "Cookie", "c=d"],
      TO,
    )
    expect(forwarded).toEqual([
      ...["x-B", "1", "HOST", "b.example:8443", "X-a", "\xff", "x-b", "2", "Cookie", "c=d"],
      ...VIA,
    ])
  })

  test("have the destination's Host in front when there was none", () => {
    expect(forwardRequestHeaders(["X-A", "b"], TO)).toEqual(["Host", "b.example:8443", "X-A", "b", ...VIA])
  })

  test("are forwarded with Content-Length in its place, and without lookalikes that applications could take for it", () => {
    const rawHeaders = ["X-A", "1", "content-LENGTH", "5", "Content_Length", "6", "HOST", "a", "X-B", "2"]
    expect(forwardRequestHeaders(rawHeaders, TO)).toEqual([
      ...["X-A", "1", "content-LENGTH", "5", "HOST", TO.host, "X-B", "2"],
      ...VIA,
    ])
  })

  test.each([...HOP_BY_HOP, "Expect"])("are forwarded without %s, in any case", (name) => {
    for (const spelled of [name, name.toLowerCase(), name.toUpperCase(), name.replaceAll("-", "_")]) {
      expect(forwardRequestHeaders(["Host", "a", spelled, "x"], TO)).toEqual([
        "Host",
        "b.example:8443",
        ...VIA,
      ])
    }
  })

  test("are forwarded without those that any Connection lists, ignoring spaces and case", () => {
    const rawHeaders = [
      "Connection",
      " X-A ,x-b,, close",
      "x-a",
      "1",
      "X-B",
      "2",
      "X-C",
      "3",
      "connection",
      "X-c",
    ]
    expect(forwardRequestHeaders(rawHeaders, TO)).toEqual(["Host", "b.example:8443", ...VIA])
  })

  test.each(["Host", "Content-Type", "Content-Encoding", "Authorization", "Cookie", "X-Forwarded-For"])(
    "keep %s even if Connection lists it",
    (name) => {
      const forwarded = forwardRequestHeaders(["Connection", `close, ${name}`, name, "x"], TO)
      expect(forwarded).toContain(name)
    },
  )

  test("have Max-Forwards decremented for OPTIONS only", () => {
    const forward = (method: string) => forwardRequestHeaders(["Max-Forwards", "10"], { ...TO, method })[3]
    expect(forward("OPTIONS")).toBe("9")
    expect(forward("POST")).toBe("10")
  })

  test("are refused with bad-request after five relays, in any form of Via", () => {
    const passed = (times: number) => [
      "Via",
      "1.1 a",
      "via",
      Array(times).fill("1.1 sealway-relay").join(", "),
    ]
    expect(forwardRequestHeaders(passed(4), TO).slice(-2)).toEqual(VIA)
    expect(() => forwardRequestHeaders(passed(5), TO)).toThrow(
      expect.objectContaining({ code: "bad-request" }),
    )
  })

  test("are all forwarded if they are end-to-end, and no others", () => {
    const name = fc.stringMatching(/^[a-z]{1,3}$/)
    const header = fc.tuple(fc.oneof(name, fc.constantFrom(...HOP_BY_HOP)), fc.string())
    fc.assert(
      fc.property(fc.array(header), fc.array(name), (headers, listed) => {
        const rawHeaders = [...headers.flat(), "Connection", listed.join(", ")]
        const gone = new Set([...HOP_BY_HOP.map((each) => each.toLowerCase()), ...listed])
        for (const [each, value] of headers) {
          if (each.toLowerCase() !== "connection") continue
          for (const option of value.split(",")) gone.add(option.trim().toLowerCase())
        }
        const left = headers.filter(([each]) => !gone.has(each.toLowerCase()))
        expect(forwardRequestHeaders(rawHeaders, TO)).toEqual(["Host", TO.host, ...left.flat(), ...VIA])
      }),
    )
  })
})

describe("response headers", () => {
  test("are forwarded with order, case and duplicates kept, without hop-by-hop ones", () => {
    const rawHeaders = [
      "set-COOKIE",
      "a",
      "Connection",
      "x-a",
      "X-A",
      "1",
      "Set-Cookie",
      "b",
      "Keep-Alive",
      "timeout=5",
    ]
    expect(forwardResponseHeaders(rawHeaders)).toEqual(["set-COOKIE", "a", "Set-Cookie", "b", ...VIA])
  })

  test("keep Content-Length unless the body has changed", () => {
    const rawHeaders = ["content-length", "5", "Transfer-Encoding", "chunked"]
    expect(forwardResponseHeaders(rawHeaders)).toEqual(["content-length", "5", ...VIA])
    expect(forwardResponseHeaders(rawHeaders, { isBodyChanged: true })).toEqual(VIA)
  })
})

test("trailers are forwarded without fields that must not be decided by after a body", () => {
  const kept = ["X-Checksum", "1", "server-timing", "2", "x-checksum", "3"]
  const dropped = [
    "Content-Length",
    "Host",
    "Set-Cookie",
    "Authorization",
    "Content-Type",
    "Cache-Control",
    "Trailer",
  ]
  expect(forwardTrailers([...dropped.flatMap((name) => [name, "x"]), ...kept])).toEqual(kept)
})
