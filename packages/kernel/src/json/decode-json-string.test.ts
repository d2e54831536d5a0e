import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { decodeJsonString } from "./decode-json-string.ts"

const decode = (literal: string) => {
  const bytes = Buffer.from(`[${literal}]`)
  return decodeJsonString(bytes, literal.includes("\\"), 1, bytes.length - 1)
}

describe("decodeJsonString", () => {
  test("gives the UTF-8 of any text, escaped or not", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const wellFormed = text.toWellFormed()
        expect(decode(JSON.stringify(wellFormed))?.toString()).toBe(wellFormed)
      }),
    )
  })

  test.each(['"\\ud800"', '"a\\udc00b"', '"\\ud83d\\u0041"'])(
    "gives null for %s, a lone surrogate",
    (literal) => {
      expect(decode(literal)).toBeNull()
    },
  )

  test("joins an escaped surrogate pair", () => {
    expect(decode('"\\ud83d\\ude00"')?.toString()).toBe("😀")
  })
})
