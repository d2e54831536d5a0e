import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseQueryParameters } from "./query-parameters.ts"

describe("query parameters", () => {
  it("match captures from a live HTTP API", () => {
    const query =
      "repeat=one&repeat=two&redirect=https%3A%2F%2Fexample.com%2Fa%2Fb&literalPlus=a+b&encodedPlus=a%2Bb&empty="
    expect({ ...parseQueryParameters(query) }).toEqual({
      empty: "",
      encodedPlus: "a+b",
      literalPlus: "a b",
      redirect: "https://example.com/a/b",
      repeat: "one,two",
    })
  })

  it("are absent when there are none", () => {
    expect(parseQueryParameters("")).toBeUndefined()
    expect(parseQueryParameters("&&")).toBeUndefined()
  })

  it("may have no value, or no name", () => {
    expect({ ...parseQueryParameters("a&=b&c=d=e") }).toEqual({ a: "", "": "b", c: "d=e" })
  })

  it("stay unchanged when they are not valid percent-encoding", () => {
    expect({ ...parseQueryParameters("a%zz=%") }).toEqual({ "a%zz": "%" })
  })

  it("treat names of Object.prototype as ordinary names, and inherit nothing", () => {
    const parameters = parseQueryParameters("__proto__=a&%5F%5Fproto__=b&constructor=c")
    expect(Object.entries(parameters ?? {})).toEqual([
      ["__proto__", "a,b"],
      ["constructor", "c"],
    ])
    expect(parameters?.valueOf).toBeUndefined()
  })

  it("survive encoding and decoding", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 })
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name, minLength: 1 }),
        (pairs) => {
          const query = pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&")
          expect(new Map(Object.entries(parseQueryParameters(query) ?? {}))).toEqual(new Map(pairs))
        },
      ),
    )
  })
})
