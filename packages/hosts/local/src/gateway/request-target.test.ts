import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseRequestTarget } from "./request-target.ts"

describe("a path, as captured from a live HTTP API", () => {
  it.each([
    ["/capture/plain", "/capture/plain"],
    ["/capture/space%20value", "/capture/space value"],
    ["/capture/question%3Fvalue", "/capture/question"],
    ["/capture/hash%23value", "/capture/hash#value"],
    ["/capture/slash%2Fvalue", "/capture/slash/value"],
    ["/capture/unicode-%CE%BB-%E4%B8%96%E7%95%8C", "/capture/unicode-λ-世界"],
    ["/capture/literal%252Fvalue", "/capture/literal/value"],
    ["/capture/literal%253Fvalue", "/capture/literal?value"],
    ["/capture/literal%2525value", "/capture/literal%value"],
  ])("is passed to handlers: %s as %s", (sent, told) => {
    expect(parseRequestTarget(`${sent}?marker=path-probe`)).toMatchObject({
      rawPath: told,
      rawQueryString: "marker=path-probe",
    })
  })

  it("is refused with a percent sign that is only encoded once, because it is decoded twice", () => {
    expect(parseRequestTarget("/capture/percent%25done")).toBeNull()
  })
})

describe("the path that routes match", () => {
  it("has segments separated by %2F and not by %252F", () => {
    expect(parseRequestTarget("/items/a%2Fb")?.routePath).toBe("/items/a/b")
    expect(parseRequestTarget("/items/a%252Fb")?.routePath).toBe("/items/a%2Fb")
  })

  it.each(["//encrypt", "/encrypt/", "/ENCRYPT", "/encrypt;x", "/a/../encrypt", "/./encrypt", "/a//b"])(
    "keeps %s unchanged",
    (path) => {
      expect(parseRequestTarget(path)).toEqual({
        routePath: path,
        rawPath: path,
        rawQueryString: "",
        authority: null,
      })
    },
  )

  it("decodes encoded dots without resolving them", () => {
    expect(parseRequestTarget("/keys/%2e%2e/encrypt")?.routePath).toBe("/keys/../encrypt")
  })
})

describe("a request target", () => {
  it.each([
    ["http://localhost/encrypt?a=1", "localhost", "/encrypt", "a=1"],
    ["HTTPS://user@example.com:8443/encrypt", "user@example.com:8443", "/encrypt", ""],
    ["http://localhost", "localhost", "/", ""],
    ["http://localhost?a=1", "localhost", "/", "a=1"],
  ])("may be in absolute form, with host and path: %s", (target, authority, rawPath, rawQueryString) => {
    expect(parseRequestTarget(target)).toEqual({ routePath: rawPath, rawPath, rawQueryString, authority })
  })

  it.each([
    ["the asterisk form", "*"],
    ["an authority", "localhost:443"],
    ["another scheme", "ftp://localhost/encrypt"],
    ["an absolute form without authority", "http:///encrypt"],
    ["a relative path", "encrypt"],
    ["nothing", ""],
    ["a fragment", "/encrypt#fragment"],
    ["bytes above 127", "/encrypt\u00e9"],
    ["an encoded NUL", "/encrypt%00"],
    ["a line feed, encoded twice", "/encrypt%250A"],
    ["a percent sign without digits", "/encrypt%zz"],
    ["an incomplete percent sign", "/encrypt%2"],
    ["bytes that are not UTF-8", "/encrypt%ff"],
  ])("is refused: %s", (_, target) => {
    expect(parseRequestTarget(target)).toBeNull()
  })
})

it("keeps the query string unchanged", () => {
  const query = "a=%41+b&&=&a=%zz?&__proto__=1"
  expect(parseRequestTarget(`/encrypt?${query}`)).toEqual({
    routePath: "/encrypt",
    rawPath: "/encrypt",
    rawQueryString: query,
    authority: null,
  })
})

it("never throws, and never accepts a control character in a path", () => {
  const hostile = fc.stringMatching(/^\/([a-z/.;?#]|%[0-9a-fA-F]{2}|%25[0-9a-f]{2}){0,40}$/)
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string()), (target) => {
      const codes = [...(parseRequestTarget(target)?.rawPath ?? "")].map((character) =>
        character.charCodeAt(0),
      )
      expect(codes.every((code) => code >= 0x20 && code !== 0x7f)).toBe(true)
    }),
  )
})
