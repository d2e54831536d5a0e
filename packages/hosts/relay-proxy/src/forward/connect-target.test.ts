import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseConnectTarget } from "./connect-target.ts"

describe("the target of a CONNECT request", () => {
  test.each([
    ["api.example.com:443", "api.example.com", 443],
    ["API.Example.COM:443", "api.example.com", 443],
    ["api.example.com.:443", "api.example.com", 443],
    ["localhost:1", "localhost", 1],
    ["a_b.internal:65535", "a_b.internal", 65_535],
    ["127.0.0.1:8443", "127.0.0.1", 8443],
    ["[::1]:443", "::1", 443],
    ["[0:0:0:0:0:0:0:1]:443", "::1", 443],
    ["[2001:DB8::1]:443", "2001:db8::1", 443],
    [`${"a".repeat(63)}.example:443`, `${"a".repeat(63)}.example`, 443],
  ])("is parsed: %s", (text, host, port) => {
    expect(parseConnectTarget(text)).toEqual({ ok: true, target: { host, port } })
  })

  test.each(["", ":443", ":", "443"])("is refused: %j with no-hostname-in-request", (text) => {
    expect(parseConnectTarget(text)).toMatchObject({ ok: false, code: "no-hostname-in-request" })
  })

  test.each([
    "api.example.com",
    "api.example.com:",
    "api.example.com:0",
    "api.example.com:65536",
    "api.example.com:99999999",
    "api.example.com:443x",
    "api.example.com:-1",
    "api.example.com:+443",
    "api.example.com:4 4",
    "user@api.example.com:443",
    "user:pass@api.example.com:443",
    "api.example.com:443@evil.example:443",
    "https://api.example.com:443",
    "api.example.com:443/",
    "api.example.com:443?x",
    "api.example.com:443#x",
    "/api.example.com:443",
    "api..example.com:443",
    "api.example.com..:443",
    ".:443",
    "-a.example:443",
    "a%2eexample:443",
    "a\texample.com:443",
    "a\r\nexample.com:443",
    "exämple.com:443",
    "*.example.com:443",
    "127.1:443",
    "0x7f.0.0.1:443",
    "2130706433:443",
    "0177.0.0.1:443",
    "::1:443",
    "[::1:443",
    "[::1]443",
    "[fe80::1%25eth0]:443",
    "[::g]:443",
    "[127.0.0.1]:443",
    `${"a".repeat(64)}.example:443`,
    `${"a.".repeat(200)}example:443`,
  ])("is refused: %j with invalid-request", (text) => {
    expect(parseConnectTarget(text)).toMatchObject({ ok: false, code: "invalid-request" })
  })

  test("is parsed into nothing but host and port", () => {
    fc.assert(
      fc.property(fc.domain(), fc.integer({ min: 1, max: 65_535 }), fc.boolean(), (name, port, isUpper) => {
        const text = `${isUpper ? name.toUpperCase() : name}:${port}`
        const parsed = parseConnectTarget(text)
        // Names from fast-check may start with xn-- without being Punycode, or look like numbers.
        fc.pre(parsed.ok)
        expect(parsed).toEqual({ ok: true, target: { host: name.toLowerCase(), port } })
      }),
    )
  })
})
