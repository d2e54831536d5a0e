import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { UnreadableBodyError } from "../body/located-body.ts"
import { UnwritableValueError } from "../errors/unwritable-value-error.ts"
import { parseContentType } from "../headers/content-type.ts"
import { type Charset, charsetOf, fromUtf8, requireUtf8Form, toUtf8, UnknownCharsetError } from "./charset.ts"

const latin1 = (text: string) => Buffer.from(text, "latin1")
const utf16le = (text: string) => Buffer.from(text, "utf16le")
const utf16be = (text: string) => utf16le(text).swap16()
const charsetIn = (contentType: string, bytes: Buffer) => charsetOf(parseContentType(contentType), bytes)

describe("the charset of a body", () => {
  test.each<[string, Buffer, Charset]>([
    ["application/json", latin1("{}"), "utf-8"],
    ["application/json", latin1(""), "utf-8"],
    ["application/json", Buffer.from("\ufeff{}"), "utf-8"],
    ["application/json; charset=UTF-8", Buffer.from("\ufeff{}"), "utf-8"],
    ["application/json; charset=us-ascii", latin1("{}"), "us-ascii"],
    ["application/json; charset=ISO-8859-1", latin1("{}"), "iso-8859-1"],
    ["application/json", utf16le("{}"), "utf-16le"],
    ["application/json", utf16be("{}"), "utf-16be"],
    ["application/json; charset=utf-16", utf16be("\ufeff{}"), "utf-16be"],
    ["application/json; charset=utf-16", utf16le("\ufeff{}"), "utf-16le"],
    ["text/xml; charset=utf-16le", utf16le("<a/>"), "utf-16le"],
    ["text/xml", latin1('<?xml version="1.0" encoding="iso-8859-1"?><a/>'), "iso-8859-1"],
    ["text/xml", latin1("<?xml version='1.0' encoding = 'utf-8' ?><a/>"), "utf-8"],
    ["text/xml; charset=utf-8", latin1('<?xml version="1.0" encoding="UTF-8"?><a/>'), "utf-8"],
    ["text/xml", utf16le('\ufeff<?xml version="1.0" encoding="utf-16"?><a/>'), "utf-16le"],
  ])("with %s is determined by header and bytes", (contentType, bytes, charset) => {
    expect(charsetIn(contentType, bytes)).toBe(charset)
  })

  test.each<[string, Buffer]>([
    ["application/json; charset=windows-1252", latin1("{}")],
    ["application/json; charset=utf-7", latin1("{}")],
    ["application/json; charset=utf-32", latin1("{}")],
    ["application/json; charset=utf-16", latin1("{}")],
    ["application/json; charset=utf-8", utf16le("{}")],
    ["application/json; charset=utf-16be", utf16le("\ufeff{}")],
    ["application/json; charset=iso-8859-1", Buffer.from("\ufeff{}")],
    ["application/json", Buffer.from("fffe00007b000000", "hex")],
    ["application/json", Buffer.from("0000007b", "hex")],
    ["text/xml; charset=utf-8", latin1('<?xml version="1.0" encoding="iso-8859-1"?><a/>')],
    ["text/xml", latin1('<?xml version="1.0" encoding="UTF-7"?><a/>')],
    ["text/xml", latin1('<?xml version="1.0" encoding="ebcdic-cp-us"?><a/>')],
  ])("with %s is refused when it is unknown or contradictory", (contentType, bytes) => {
    expect(() => charsetIn(contentType, bytes)).toThrow(UnknownCharsetError)
  })

  test("of a form is UTF-8", () => {
    const required = (value: string) => {
      const contentType = parseContentType(value)
      if (contentType !== null) requireUtf8Form(contentType)
    }
    expect(required("multipart/form-data; boundary=a")).toBeUndefined()
    expect(required("application/x-www-form-urlencoded; charset=UTF-8")).toBeUndefined()
    expect(() => required("application/x-www-form-urlencoded; charset=iso-8859-1")).toThrow(
      UnknownCharsetError,
    )
  })
})

describe("a body in another charset", () => {
  const texts = fc.string({ unit: "binary" }).map((text) => text.toWellFormed())

  test("is restored byte for byte, when it is ISO-8859-1", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const body = Buffer.from(bytes)
        expect(fromUtf8(toUtf8(body, "iso-8859-1"), "iso-8859-1")).toEqual(body)
      }),
    )
  })

  test.each<Charset>(["utf-16le", "utf-16be"])("is restored byte for byte, when it is %s", (charset) => {
    fc.assert(
      fc.property(texts, fc.boolean(), (text, marked) => {
        const content = marked ? `\ufeff${text}` : text
        const body = charset === "utf-16le" ? utf16le(content) : utf16be(content)
        const utf8 = toUtf8(body, charset)
        expect(utf8.toString()).toBe(content)
        expect(fromUtf8(utf8, charset)).toEqual(body)
      }),
    )
  })

  test.each<[Charset, Buffer]>([
    ["utf-8", latin1("caf\u00e9")],
    ["utf-8", Buffer.from("eda080", "hex")],
    ["us-ascii", Buffer.from("é")],
    ["utf-16le", Buffer.from("7b", "hex")],
    ["utf-16le", Buffer.from("00d8", "hex")],
    ["utf-16be", Buffer.from("dc00", "hex")],
  ])("is refused when it is not valid %s", (charset, bytes) => {
    expect(() => toUtf8(bytes, charset)).toThrow(UnreadableBodyError)
  })

  test("accepts no character outside its charset", () => {
    expect(() => fromUtf8(Buffer.from("5 €"), "iso-8859-1")).toThrow(UnwritableValueError)
    expect(() => fromUtf8(Buffer.from("é"), "us-ascii")).toThrow(UnwritableValueError)
    expect(fromUtf8(Buffer.from("é"), "iso-8859-1")).toEqual(latin1("é"))
  })
})
