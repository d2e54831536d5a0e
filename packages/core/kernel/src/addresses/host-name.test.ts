import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isHostName } from "./host-name.ts"

describe("a host name", () => {
  test.each([
    "example",
    "shop.example.com",
    "3com.example",
    "1.2.example",
    "xn--mnchen-3ya.de",
    "a.xn--55qx5d",
    // A reserved label that video services use.
    "r3---sn-a.example",
    "a".repeat(63),
    `${"a.".repeat(126)}a`,
  ])("is accepted: %s", (text) => expect(isHostName(text)).toBe(true))

  test.each([
    "",
    ".",
    "-",
    "a..example",
    ".example",
    "example.",
    "-a.example",
    "a-.example",
    "a b.example",
    "a*.example",
    "münchen.de",
    "EXAMPLE.com",
    "a_b.example",
    "a".repeat(64),
    `${"a.".repeat(126)}ab`,
    // No Punycode, not in its only spelling, not what it claims to encode.
    "xn--",
    "xn--a",
    "xn--abc-.example",
    "a.xn--0.example",
    "xn--zzzzzzz99999999.example",
    // Read as IPv4 addresses by URL parsers.
    "127.0.0.1",
    "127.1",
    "2130706433",
    "a.0x7f",
    "a.0x",
    "[::1]",
    "::1",
  ])("is refused: '%s'", (text) => expect(isHostName(text)).toBe(false))

  test("may have underscores only where they are allowed", () => {
    for (const text of ["a_b.example", "_dmarc.example", "db_"]) {
      expect(isHostName(text)).toBe(false)
      expect(isHostName(text, { allowUnderscores: true })).toBe(true)
    }
    expect(isHostName("-_.example", { allowUnderscores: true })).toBe(false)
  })

  test("is spelled as URLs spell it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 12 }), (text) => {
        fc.pre(isHostName(text))
        expect(URL.parse(`https://${text}`)?.host).toBe(text)
      }),
    )
    fc.assert(fc.property(fc.domain(), (text) => isHostName(text)))
  })
})
