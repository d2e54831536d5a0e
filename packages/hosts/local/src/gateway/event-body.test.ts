import { finish } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bytesBody, textBody } from "./event-body.ts"

const encodeEventBody = (bytes: Buffer, contentType?: string) => finish(textBody(bytes, contentType))
const TEXT = Buffer.from('{"name":"Zoë"}')

describe("the body of an event", () => {
  it.each(["application/json", "application/octet-stream"])(
    "is encoded in steps when it is large, of type %s",
    (contentType) => {
      const work = textBody(Buffer.alloc(4_000_000, "a"), contentType)
      let steps = 0
      while (work.next().done !== true) steps++
      expect(steps).toBe(4)
      expect(textBody(Buffer.from("a"), contentType).next().done).toBe(true)
    },
  )

  it("is the received bytes, uncopied, for handlers that accept bytes", () => {
    const bytes = Buffer.alloc(4_000_000, "a")
    const body = bytesBody(bytes)
    expect(body.bodyBytes === bytes).toBe(true)
    expect(Object.keys(body)).toEqual(["bodyBytes", "isBase64Encoded"])
    expect(bytesBody(Buffer.alloc(0))).toEqual({ isBase64Encoded: false })
  })

  it.each([
    "text/plain",
    "text/csv; charset=utf-8",
    "TEXT/HTML",
    "application/json",
    "application/json;charset=utf-8",
    "application/json ; a=b",
    "Application/JSON",
    " application/json",
    "application/xml",
    "application/javascript",
  ])("is text when the media type is %s", (contentType) => {
    expect(encodeEventBody(TEXT, contentType)).toEqual({ body: '{"name":"Zoë"}', isBase64Encoded: false })
  })

  it.each([
    undefined,
    "",
    "application/octet-stream",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "image/svg+xml",
    "application/problem+json",
    "application/jsonp",
    "application/json, text/plain",
    "text/",
    "text",
  ])("is base64 when the media type is %j", (contentType) => {
    expect(encodeEventBody(TEXT, contentType)).toEqual({
      body: TEXT.toString("base64"),
      isBase64Encoded: true,
    })
  })

  it("is base64 when its declared type is text and it is not UTF-8", () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x7d])
    expect(encodeEventBody(bytes, "application/json")).toEqual({ body: "e/99", isBase64Encoded: true })
  })

  it("keeps a byte order mark", () => {
    expect(encodeEventBody(Buffer.from("\ufeff{}"), "application/json").body).toBe("\ufeff{}")
  })

  it("is absent when no bytes were sent", () => {
    expect(encodeEventBody(Buffer.alloc(0), "application/json")).toEqual({
      body: undefined,
      isBase64Encoded: false,
    })
  })

  it("restores every byte, whatever its declared type", () => {
    const contentType = fc.constantFrom(
      "text/plain",
      "application/json",
      "application/octet-stream",
      undefined,
    )
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc.string({ unit: "grapheme" }).map((text) => Buffer.from(text)),
    )
    fc.assert(
      fc.property(bytes, contentType, (sent, type) => {
        const { body = "", isBase64Encoded } = encodeEventBody(Buffer.from(sent), type)
        expect(Buffer.from(body, isBase64Encoded ? "base64" : "utf8")).toEqual(Buffer.from(sent))
      }),
    )
  })
})
