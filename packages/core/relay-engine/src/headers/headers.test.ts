import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { UnreadableBodyError } from "../body/located-body.ts"
import { UnwritableValueError } from "../errors/unwritable-value-error.ts"
import {
  applicationName,
  headerText,
  isSelectableHeader,
  locateHeaders,
  writeHeaderValue,
} from "./headers.ts"

const written = (text: string) => writeHeaderValue(Buffer.from(text))

describe("selected headers", () => {
  test("are found in any case and at every occurrence, with all selectors of their name", () => {
    const rawHeaders = ["X-Card", "1", "Accept", "*/*", "x-card", "2", "X-CARDS", "3", "X-Pin", ""]
    expect(locateHeaders(rawHeaders, ["x-card", "X-Pin", "X-CARD", "x-none"])).toEqual([
      { index: 1, name: "X-Card", selectors: [0, 2] },
      { index: 5, name: "x-card", selectors: [0, 2] },
      { index: 9, name: "X-Pin", selectors: [1] },
    ])
  })

  test("are not found in values", () => {
    expect(locateHeaders(["a", "x-card", "b", "x-card"], ["x-card"])).toEqual([])
  })

  test.each(["X-Card", "Authorization", "Cookie", "set-cookie", "x_y.z~"])("may be %s", (name) => {
    expect(isSelectableHeader(name)).toBe(true)
  })

  test.each([
    "Host",
    "content-length",
    "Content-Type",
    "Content-Encoding",
    "Transfer-Encoding",
    "connection",
    "TE",
    "Trailer",
    "Upgrade",
    "Keep-Alive",
    "Proxy-Authorization",
    "X-Service-Api-Key",
    "x-service-app-id",
    "",
    "a b",
    "a:",
    "a\r\nb",
    "é",
  ])("may not be %j", (name) => {
    expect(isSelectableHeader(name)).toBe(false)
  })
})

describe("a header name, as applications see it", () => {
  test.each([
    ["CGI, WSGI, Rack, PHP", "X_Card"],
    ["the same, in any case", "x_CARD"],
    ["lighttpd and Apache, by CGI", "X.Card"],
    ["lighttpd, by CGI", "X!Card"],
  ])("equals X-Card for %s: %s", (_, name) => {
    expect(applicationName(name)).toBe(applicationName("X-Card"))
  })

  test.each(["XCard", "X-Cards", "Card"])("differs for %s", (name) => {
    expect(applicationName(name)).not.toBe(applicationName("X-Card"))
  })
})

describe("a header value", () => {
  test("is restored when it is UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/[\p{Cc}]|^ | $/u.test(text))
        const value = written(text)
        expect(headerText(value).toString()).toBe(text)
      }),
    )
  })

  test("is written as its bytes", () => {
    expect(written("é")).toBe("\u00c3\u00a9")
    expect(written("a\tb c")).toBe("a\tb c")
    expect(written("")).toBe("")
  })

  test.each(["a\r\nX-Admin: 1", "a\n", "\ra", "a\0b", "\u001b", "\u007f", " a", "a ", "\ta"])(
    "is refused when it is %j",
    (text) => {
      expect(() => written(text)).toThrow(UnwritableValueError)
    },
  )

  test("is unreadable when it is not UTF-8", () => {
    expect(() => headerText("caf\u00e9")).toThrow(UnreadableBodyError)
  })
})
