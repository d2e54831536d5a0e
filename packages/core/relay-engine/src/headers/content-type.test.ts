import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { InvalidContentTypeError, multipartBoundary, parseContentType } from "./content-type.ts"

const parametersOf = (value: string) => Object.fromEntries(parseContentType(value)?.parameters ?? [])

describe("a Content-Type", () => {
  test("is null when missing", () => {
    expect(parseContentType(undefined)).toBeNull()
  })

  test.each([
    ["application/json", "application/json", {}],
    ["Application/Problem+JSON", "application/problem+json", {}],
    [" text/xml ;charset=UTF-8\t", "text/xml", { charset: "UTF-8" }],
    ['text/xml; CharSet="utf-8"; a=b', "text/xml", { charset: "utf-8", a: "b" }],
    ["text/xml;", "text/xml", {}],
    ["text/xml; ; a=b;;", "text/xml", { a: "b" }],
    ['a/b; c="d;e,f \\" \\\\"', "a/b", { c: 'd;e,f " \\' }],
    ['a/b; c=""', "a/b", { c: "" }],
    ["a/b; __proto__=x", "a/b", { ["__proto__"]: "x" }],
  ])("is parsed: %s", (value, type, parameters) => {
    expect(parseContentType(value)?.type).toBe(type)
    expect(parametersOf(value)).toEqual(parameters)
  })

  test.each([
    "",
    " ",
    "json",
    "/json",
    "application/",
    "application/json, text/plain",
    "application /json",
    "application,json",
    "application/json charset=utf-8",
    "application/json; charset",
    "application/json; charset=",
    "application/json; charset =utf-8",
    "application/json; charset= utf-8",
    "application/json; =utf-8",
    'application/json; charset="utf-8',
    'application/json; charset="utf-8"x',
    'application/json; charset="utf-8\\',
    "application/json; charset=utf-8; charset=utf-8",
    "application/json; charset=utf-8; CHARSET=utf-16le",
    "application/json; charset=utf 8",
    'a/b; c="\u0001"',
    "application/j\u0000son",
    "application/jsön",
  ])("is refused: %j", (value) => {
    expect(() => parseContentType(value)).toThrow(InvalidContentTypeError)
  })

  test("is always either parsed or refused", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'a/; ="\\,\t') }), (value) => {
        try {
          expect(parseContentType(value)?.type).toMatch(/^a+\/a+$/)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidContentTypeError)
        }
      }),
    )
  })
})

describe("a multipart boundary", () => {
  const boundaryOf = (value: string) => {
    const contentType = parseContentType(value)
    return contentType === null ? null : multipartBoundary(contentType)
  }

  test.each(["x", "----WebKitFormBoundary7MA4YWxkTrZu0gW", "a b", "'()+_,-./:?=", "b".repeat(70)])(
    "is accepted: %s",
    (boundary) => {
      expect(boundaryOf(`multipart/form-data; boundary="${boundary}"`)).toBe(boundary)
    },
  )

  test.each([
    "multipart/form-data",
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary="a "',
    'multipart/form-data; boundary="a\tb"',
    'multipart/form-data; boundary="a;b"',
    "multipart/form-data; boundary=a*b",
    `multipart/form-data; boundary=${"b".repeat(71)}`,
    'multipart/form-data; boundary=" a"',
    'multipart/form-data; boundary="a\\b"',
    'multipart/form-data; boundary="=?utf-8?q?a?="',
    "multipart/form-data; boundary=b; boundary*0=a",
    "multipart/form-data; boundary=b; boundary*=utf-8''a",
    "multipart/form-data; xboundary=a; boundary=b",
    'multipart/form-data; x="; boundary=a"; boundary=b',
    'multipart/form-data; boundary=b; charset="\\utf-8"',
  ])("is refused: %j", (value) => {
    expect(() => boundaryOf(value)).toThrow(InvalidContentTypeError)
  })
})
