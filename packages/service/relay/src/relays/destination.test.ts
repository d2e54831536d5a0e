import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatHost, parseDestination } from "./destination.ts"

const parse = (text: string, allowPrivate = false) => {
  const parsed = parseDestination(text, { allowPrivate })
  return parsed.ok ? parsed.destination : null
}

describe("a destination", () => {
  test.each([
    ["api.example.com", "https", "api.example.com", 443],
    ["API.Example.COM.", "https", "api.example.com", 443],
    ["api.example.com:8443", "https", "api.example.com", 8443],
    ["https://api.example.com", "https", "api.example.com", 443],
    ["https://api.example.com:8443", "https", "api.example.com", 8443],
    ["api.example.com:65535", "https", "api.example.com", 65_535],
    ["bücher.example", "https", "xn--bcher-kva.example", 443],
    ["a_b.example", "https", "a_b.example", 443],
    ["8.8.8.8:1", "https", "8.8.8.8", 1],
    ["[2606:4700:0:0::1111]", "https", "2606:4700::1111", 443],
    ["[2606:4700::1111]:8443", "https", "2606:4700::1111", 8443],
  ])("is parsed: %s", (text, scheme, host, port) => {
    expect(parse(text)).toEqual({ scheme, host, port })
  })

  test.each([
    ["http://a.example", "http", "a.example", 80],
    ["http://a.example:443", "http", "a.example", 443],
    ["http://[::1]:8080", "http", "::1", 8080],
    ["localhost:3000", "https", "localhost", 3000],
    ["postgres", "https", "postgres", 443],
    ["10.0.0.1", "https", "10.0.0.1", 443],
    ["127.0.0.1", "https", "127.0.0.1", 443],
  ])("is only parsed when private ones are allowed: %s", (text, scheme, host, port) => {
    expect(parse(text, true)).toEqual({ scheme, host, port })
    expect(parse(text, false)).toBeNull()
  })

  test.each([
    "",
    "http://",
    "https://a.example/",
    "https://https://a.example",
    "http://http://a.example",
    "http:127.0.0.1",
    "http:/127.0.0.1",
    "http:\\\\127.0.0.1",
    "HTTP://a.example",
    "HTTP://a.example",
    "//a.example",
    "a.example/",
    "a.example\\b",
    "a.example#x",
    "a.example?x",
    "u@a.example",
    "u:p@a.example",
    "*.example",
    "a.example:",
    "a.example:0",
    "a.example:00443",
    "a.example:65536",
    "a.example:1e3",
    "a.example:+1",
    "a.example:80:80",
    " a.example",
    "a.example\n",
    "a.ex\u00adample",
    "a.example\u0000",
    "a%2eexample.com",
    "a..example",
    ".a.example",
    "-a.example",
    "a-.example",
    `${"a".repeat(64)}.example`,
    Array(64).fill("abc").join("."),
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "0177.0.0.1",
    "1.2.3.4.5",
    "[::1",
    "::1",
    "[::1%eth0]",
    "[]",
    "169.254.169.254",
    "[fd00:ec2::254]",
    "0.0.0.0",
  ])("is always refused: %j", (text) => {
    expect(parse(text, true)).toBeNull()
    expect(parse(text, false)).toBeNull()
  })

  test("is refused with a sentence that does not repeat it", () => {
    const texts = fc.oneof(
      fc.string({ minLength: 6, unit: "binary" }),
      fc.stringMatching(/^marker[a-z]{3}[/?@ *%:]{1,3}x$/),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseDestination(text, { allowPrivate: false })
        if (!parsed.ok) {
          expect(parsed.reason).toMatch(/^[A-Z].*\.$/)
          expect(parsed.reason).not.toContain(text)
        }
      }),
    )
  })

  test("is parsed the same from its Host header", () => {
    const hosts = fc.oneof(
      fc.domain(),
      fc.ipV6().map((address) => `[${address}]`),
      fc.ipV4(),
    )
    fc.assert(
      fc.property(hosts, fc.integer({ min: 1, max: 65_535 }), (host, port) => {
        const destination = parse(`${host}:${port}`, true)
        if (destination !== null) expect(parse(formatHost(destination), true)).toEqual(destination)
      }),
    )
  })
})
