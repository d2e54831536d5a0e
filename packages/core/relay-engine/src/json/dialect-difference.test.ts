import { JSONPath } from "jsonpath-plus"
import { describe, expect, test } from "vitest"
import { UnreadableBodyError } from "../body/located-body.ts"
import { compileJsonPath } from "../jsonpath/compile-json-path.ts"
import { compareWithCommonDialect } from "./dialect-difference.ts"

const SAMPLE = '{"a":{"b":[1,2,{"c":3}],"0":1,"first-name":5},"x y":2,"a~/b":6}'

const compare = (selector: string, sample = SAMPLE) =>
  compareWithCommonDialect(compileJsonPath(selector), Buffer.from(sample))

describe("a selector in the other common dialect", () => {
  test.each([
    "$",
    "$.a.b",
    "$.a.b[0,1]",
    "$..c",
    "$..*",
    "$.*",
    "$['x y']",
    "$.first-name",
    "$.a.b[::2]",
    "$.none",
  ])("selects the same with %s", (selector) => {
    expect(compare(selector)).toBe("same")
  })

  test.each(["$.a.b[-1]", "$.a[0]", "$.a.b['0']", "$[ 'a' ]", "$.a.b.length"])(
    "selects something else with %s",
    (selector) => {
      expect(compare(selector)).toBe("different")
    },
  )

  test("selects nothing in a document that is itself a value", () => {
    expect(compare("$", "5")).toBe("different")
  })

  test.each(["$.a[?@.b]", "$['..']['..']['..']", "$['(process.exit())']", "$['@string()']", "$['a','*']"])(
    "is not compared for %s, which it would execute or misread",
    (selector) => {
      expect(compare(selector)).toBe("not-compared")
    },
  )

  test("is not compared when that would take long", () => {
    expect(compare("$..*", JSON.stringify("x".repeat(100_000)))).toBe("not-compared")
    expect(compare("$..*", JSON.stringify(Array.from({ length: 1_001 }, () => 1)))).toBe("not-compared")
    expect(compare("$..*..*", `${"[1,".repeat(250)}1${"]".repeat(250)}`)).toBe("not-compared")
    expect(compare("$", `${"[".repeat(257)}${"]".repeat(257)}`)).toBe("not-compared")
  })

  test("is not compared for a sample that is not JSON", () => {
    expect(() => compare("$", "{")).toThrow(UnreadableBodyError)
  })

  test("reads a sample with a byte order mark", () => {
    expect(compare("$.a", '\ufeff{"a":1}')).toBe("same")
  })

  test("does not modify any prototype", () => {
    expect(compare("$.__proto__.polluted", '{"__proto__":{"polluted":1}}')).toBe("same")
    expect(Reflect.get({}, "polluted")).toBeUndefined()
  })
})

test("that dialect cannot check selectors: it reads what is none, and finds nothing with a filter of RFC 9535", () => {
  for (const selector of ["$.a[", "$.a]b"]) {
    expect(() => JSONPath.toPathArray(selector)).not.toThrow()
    expect(() => compileJsonPath(selector)).toThrow()
  }
  const filter = "$.a[?@.b == 'c']"
  expect(() => compileJsonPath(filter)).not.toThrow()
  expect(JSONPath({ path: filter, json: { a: [{ b: "c" }] }, eval: false })).toEqual([])
})
