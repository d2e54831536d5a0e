import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { AmbiguousJsonError, parseStrictJson } from "./parse-strict-json.ts"
import { JsonDepthError, JsonSyntaxError } from "./scan-json.ts"

const parse = (text: string) => parseStrictJson(Buffer.from(text), 100)

describe("strict JSON parsing", () => {
  test("returns what JSON.parse returns", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        // Refused, see below.
        fc.pre(!text.includes('"__proto__"'))
        expect(parse(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  test.each(['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '[{"x":{"b":0,"c":1,"b":0}}]'])(
    "refuses %j, where a name occurs twice in one object",
    (text) => {
      expect(() => parse(text)).toThrow(AmbiguousJsonError)
    },
  )

  test.each(['["\\ud800"]', '{"\\udc00x":1}', "[1e400]", '{"a":12345678901234567891}'])(
    "refuses %j, which other parsers could read differently",
    (text) => {
      expect(() => parse(text)).toThrow(AmbiguousJsonError)
    },
  )

  test("accepts the same name in two objects", () => {
    expect(parse('[{"a":1},{"a":{"a":2}}]')).toEqual([{ a: 1 }, { a: { a: 2 } }])
  })

  test.each(['{"__proto__":1}', '{"a":[{"\\u005f_proto__":{}}]}'])(
    "refuses a field named __proto__, which schemas drop: %s",
    (text) => {
      expect(() => parse(text)).toThrow(AmbiguousJsonError)
    },
  )

  test("accepts __proto__ as a value, and names that only resemble it", () => {
    const value = { a: "__proto__", proto: 1, __proto: 2, constructor: 3, " __proto__": 4 }
    expect(parse(JSON.stringify(value))).toEqual(value)
  })

  test("accepts 100,000 fields in an object and refuses one more with payload-too-large", () => {
    const objectOf = (count: number) =>
      `[{},{"a":1,"b":{${Array.from({ length: count }, (_, index) => `"${index}":0`).join(",")}}}]`
    expect(parse(objectOf(100_000))).toHaveLength(2)
    expect(() => parse(objectOf(100_001))).toThrow(expect.objectContaining({ code: "payload-too-large" }))
  })

  test("refuses nesting beyond the limit, and text that is not JSON", () => {
    expect(() => parse("[".repeat(101) + "]".repeat(101))).toThrow(JsonDepthError)
    expect(() => parse("{'a':1}")).toThrow(JsonSyntaxError)
  })
})
