import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { checkDestinationUrl, MAX_DESTINATION_URL_CHARACTERS } from "./destination-url.ts"

const admitted = (text: string, allowPrivate = false) => checkDestinationUrl(text, { allowPrivate }).admitted

const PRIVATE_URLS = [
  "https://127.0.0.1/",
  "https://[::1]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[fe80::1]/",
  "https://[fc00::1]:8443/",
  "https://10.0.0.1:8080/",
  "https://localhost/",
  "https://localhost./",
  "https://LOCALHOST/",
  "https://app.localhost/",
]

describe("a destination's URL", () => {
  test.each([
    "https://example.com",
    "https://example.com:8443/hooks?a=b&c",
    "https://münchen.example/hooks",
    "https://localhost.example.com/",
    "https://1.1.1.1/",
    "https://[2606:4700::1111]/",
    "HTTPS://EXAMPLE.COM/",
    "https://example.com./",
  ])("is allowed: %s", (text) => expect(admitted(text)).toBe(true))

  test.each(PRIVATE_URLS)(
    "is refused when it names a private address, unless these are allowed: %s",
    (text) => {
      expect(admitted(text)).toBe(false)
      expect(admitted(text, true)).toBe(true)
    },
  )

  test.each([
    "https://169.254.169.254/latest/meta-data/",
    "https://[fd00:ec2::254]/",
    "https://0.0.0.0/",
    "https://0/",
    "https://[::]/",
    "https://[::127.0.0.1]/",
    "https://[2002:7f00:1::]/",
    "https://255.255.255.255/",
  ])("is always refused: %s", (text) => {
    expect(admitted(text)).toBe(false)
    expect(admitted(text, true)).toBe(false)
  })

  test.each([
    "",
    "example.com",
    "/hooks",
    "https://",
    "https:///",
    "https://exa mple.com/",
    " https://example.com/",
    "https://example.com/\n",
    "https://exam\tple.com/",
    "https://example.com/\0",
    "https://example.com/\u2028",
    "https://[fe80::1%25eth0]/",
    "https://[::1",
    "https://example.com:65536/",
    "https://user@example.com/",
    "https://user:password@example.com/",
    "https://:password@example.com/",
    "https://example.com/#fragment",
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,a",
    "ws://example.com/",
    // Text that only a WHATWG parser accepts as a URL, or reads as a different one than it looks like.
    "http:127.0.0.1",
    "https:example.com",
    "https:/example.com/",
    "https:///example.com/",
    "https://///example.com/",
    "https:\\\\example.com/",
    "https:/\\example.com/",
    "https://example.com\\hooks",
    "https://example.com\\@example.net/",
    "https://@example.com/",
    "https://:@example.com/",
    "\u0000https://example.com/",
    "https://example.com/ ",
    "ht\ntps://example.com/",
    "https://exam\u00adple.com/",
    "https://exam\u200bple.com/",
    "https://example.com:/",
    "https://example.com:0/",
    "https://example.com:0443/",
    "https://ex%61mple.com/",
    "https://127.0.0.1./",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://１２７.0.0.1/",
    "https://127。0。0。1/",
    "https://%31%32%37.0.0.1/",
    "https://-/",
    "https://a..example/",
    "https://a-.example/",
    "https://example.com../",
    "https://xn--/",
    "https://xn--a.example/",
  ])("is refused when nothing can be posted to it: %j", (text) => {
    expect(admitted(text, true)).toBe(false)
  })

  test("is refused with a reason that says what to write instead", () => {
    const reason = (text: string) => {
      const result = checkDestinationUrl(text, { allowPrivate: true })
      return result.admitted ? null : result.reason
    }
    expect(reason("http:127.0.0.1")).toMatch(/must have a scheme, two slashes and a host/)
    expect(reason("https:\\\\example.com")).toMatch(/backslash/)
    expect(reason("https://user@example.com")).toMatch(/credentials/)
    expect(reason("https://127.1")).toMatch(/four decimal numbers/)
  })

  test("may use http only where private destinations are allowed", () => {
    expect(admitted("http://example.com/")).toBe(false)
    expect(admitted("http://example.com/", true)).toBe(true)
  })

  test("may have at most 2,048 characters", () => {
    const url = (length: number) => "https://example.com/".padEnd(length, "a")
    expect(admitted(url(MAX_DESTINATION_URL_CHARACTERS))).toBe(true)
    expect(admitted(url(MAX_DESTINATION_URL_CHARACTERS + 1))).toBe(false)
  })

  test("is never repeated in the reason for its refusal", () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ["http", "ftp"] }), (text) => {
        const result = checkDestinationUrl(text, { allowPrivate: false })
        expect(result.admitted ? "" : result.reason).not.toContain(new URL(text).hostname)
      }),
    )
  })
})
