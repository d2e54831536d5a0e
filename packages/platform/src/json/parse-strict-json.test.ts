import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { AmbiguousJsonError, parseStrictJson } from "./parse-strict-json.ts"
import { JsonDepthError, JsonSyntaxError } from "./scan-json.ts"

const parse = (text: string) => parseStrictJson(Buffer.from(text), 100)

describe("parseStrictJson", () => {
  test("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(parse(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  test.each(['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '[{"x":{"b":0,"c":1,"b":0}}]'])(
    "refuses %j, where a name stands twice in one object",
    (text) => {
      expect(() => parse(text)).toThrow(AmbiguousJsonError)
    },
  )

  test.each(['["\\ud800"]', '{"\\udc00x":1}', "[1e400]", '{"a":12345678901234567891}'])(
    "refuses %j, which other readers could take for something else",
    (text) => {
      expect(() => parse(text)).toThrow(AmbiguousJsonError)
    },
  )

  test("takes one name in two objects", () => {
    expect(parse('[{"a":1},{"a":{"a":2}}]')).toEqual([{ a: 1 }, { a: { a: 2 } }])
  })

  test("makes __proto__ an own property that changes nobody's prototype", () => {
    const value = parse('{"__proto__":{"admin":true}}')
    expect(Object.getOwnPropertyNames(value)).toEqual(["__proto__"])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Reflect.get({}, "admin")).toBeUndefined()
  })

  test("refuses nesting beyond the limit, and what is not JSON", () => {
    expect(() => parse("[".repeat(101) + "]".repeat(101))).toThrow(JsonDepthError)
    expect(() => parse("{'a':1}")).toThrow(JsonSyntaxError)
  })
})
