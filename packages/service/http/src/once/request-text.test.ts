import { finish } from "@sealway/kernel"
import fc from "fast-check"
import { expect, test } from "vitest"
import { type RequestText, writeRequestText } from "./request-text.ts"

type Body = Pick<RequestText, "body" | "bodyBytes">

const event = (body: Body): RequestText => ({
  rawPath: "/encrypt",
  rawQueryString: "a=1",
  isBase64Encoded: false,
  requestContext: { http: { method: "POST" } },
  ...body,
})

const textOf = (body: Body) => {
  let text = ""
  const write = (piece: string) => {
    text += piece
  }
  finish(writeRequestText(event(body), { "x-a": "1" }, write))
  return text
}

/** How earlier releases, whose records may still be there, have written it at once. */
const earlier = (body: string, isBase64Encoded: boolean) =>
  JSON.stringify(["POST", "/encrypt", "a=1", body, isBase64Encoded, ["x-a", "1"]])

test("what makes two requests the same is written as in earlier releases, wherever a long body is cut", () => {
  fc.assert(
    fc.property(fc.nat(4), fc.string({ unit: "binary", maxLength: 20 }), (shift, end) => {
      const text = `${"a".repeat(shift)}${'\u{1f600}"é'.repeat(20_000)}${end}`
      const bytes = Buffer.from(text)
      expect(textOf({ body: text }) === earlier(text, false)).toBe(true)
      expect(textOf({ bodyBytes: bytes }) === earlier(bytes.toString(), false)).toBe(true)
      const binary = Buffer.concat([Buffer.of(0xff), bytes])
      expect(textOf({ bodyBytes: binary }) === earlier(binary.toString("base64"), true)).toBe(true)
    }),
    { numRuns: 20 },
  )
})

test("a long body is written in steps, so that others have their turns", () => {
  const work = writeRequestText(event({ bodyBytes: Buffer.alloc(7_000_000, "a") }), {}, () => undefined)
  let steps = 0
  while (work.next().done !== true) steps += 1
  expect(steps).toBeGreaterThan(100)
})
