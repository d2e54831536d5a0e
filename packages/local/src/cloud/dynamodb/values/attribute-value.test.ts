import { describe, expect, test } from "vitest"
import { parseItem, parseValue } from "./attribute-value.ts"
import { equalValues } from "./compare-values.ts"
import { itemSize } from "./item-size.ts"

const nested = (levels: number): unknown => (levels === 1 ? { S: "a" } : { L: [nested(levels - 1)] })

describe("an attribute's value", () => {
  test.each([
    { S: "" },
    { N: "1.5" },
    { B: "" },
    { B: "AH//" },
    { BOOL: false },
    { NULL: true },
    { L: [] },
    { L: [{ S: "a" }, { L: [] }] },
    { M: {} },
    { M: { "": { S: "a" } } },
    { SS: ["a", "b"] },
    { NS: ["1", "2"] },
    { BS: ["AA==", "AQ=="] },
  ])("is accepted unchanged: %j", (value) => expect(parseValue(value)).toEqual(value))

  test("keeps names of Object.prototype", () => {
    const text = '{"M":{"__proto__":{"S":"a"},"constructor":{"N":"1"}}}'
    expect(JSON.stringify(parseValue(JSON.parse(text)))).toBe(text)
    const item = '{"__proto__":{"M":{"__proto__":{"BOOL":true}}}}'
    expect(JSON.stringify(Object.fromEntries(parseItem(JSON.parse(item))))).toBe(item)
  })

  test("normalises numbers, also in sets", () => {
    expect(parseValue({ N: "1.0" })).toEqual({ N: "1" })
    expect(parseValue({ L: [{ NS: ["1e1", "0.10"] }] })).toEqual({ L: [{ NS: ["10", "0.1"] }] })
  })

  test.each([
    [{}],
    [{ S: "a", N: "1" }],
    [{ X: "a" }],
    [{ S: 1 }],
    [{ S: null }],
    [{ S: "\ud800" }],
    [{ N: 1 }],
    [{ B: "AA" }],
    [{ B: "AA=*" }],
    [{ B: "-_==" }],
    [{ BOOL: "true" }],
    [{ NULL: false }],
    [{ L: {} }],
    [{ L: ["a"] }],
    [{ M: [] }],
    [{ M: { "\ud800": { S: "a" } } }],
    [{ SS: [] }],
    [{ SS: "a" }],
    [{ SS: ["a", "a"] }],
    [{ NS: ["1", "1.0"] }],
    [{ BS: ["AA==", "AA=="] }],
    [[]],
    [null],
    ["a"],
  ])("is refused with ValidationException when it is %j", (value) => {
    expect(() => parseValue(value)).toThrow(expect.objectContaining({ type: "ValidationException" }))
  })

  test("is accepted 32 levels deep, and refused with ValidationException at 33", () => {
    expect(parseValue(nested(32))).toEqual(nested(32))
    expect(() => parseValue(nested(33))).toThrow(expect.objectContaining({ type: "ValidationException" }))
  })
})

describe("an item's size", () => {
  test.each([
    [{}, 0],
    [{ a: { S: "" } }, 1],
    [{ é: { S: "\u{1f600}" } }, 6],
    [{ a: { B: "AAAA" } }, 4],
    [{ a: { BOOL: true } }, 2],
    [{ a: { NULL: true } }, 2],
    [{ a: { N: "0" } }, 3],
    [{ a: { N: "12" } }, 3],
    [{ a: { N: "123" } }, 4],
    [{ a: { N: "-123" } }, 5],
    [{ a: { N: "1200" } }, 3],
    [{ a: { L: [] } }, 4],
    [{ a: { L: [{ S: "bc" }, { BOOL: true }] } }, 1 + 3 + (1 + 2) + (1 + 1)],
    [{ a: { M: { bc: { S: "d" } } } }, 1 + 3 + (1 + 2 + 1)],
    [{ a: { SS: ["b", "cd"] } }, 4],
    [{ a: { NS: ["1", "2"] } }, 5],
    [{ a: { BS: ["AA==", "AQ=="] } }, 3],
  ])("of %j is %i", (item, size) => expect(itemSize(parseItem(item))).toBe(size))
})

describe("two values", () => {
  test.each([
    [{ N: "1.0" }, { N: "1" }],
    [{ SS: ["a", "b"] }, { SS: ["b", "a"] }],
    [{ L: [{ SS: ["a", "b"] }] }, { L: [{ SS: ["b", "a"] }] }],
    [{ M: { a: { S: "1" }, b: { S: "2" } } }, { M: { b: { S: "2" }, a: { S: "1" } } }],
  ])("are equal: %j and %j", (left, right) =>
    expect(equalValues(parseValue(left), parseValue(right))).toBe(true),
  )

  test.each([
    [{ S: "1" }, { N: "1" }],
    [{ S: "a" }, { B: "YQ==" }],
    [{ SS: ["1"] }, { NS: ["1"] }],
    [{ SS: ["a"] }, { SS: ["a", "b"] }],
    [{ SS: ["a", "b"] }, { SS: ["a", "c"] }],
    [{ L: [{ S: "a" }] }, { L: [] }],
    [{ L: [{ S: "a" }, { S: "b" }] }, { L: [{ S: "b" }, { S: "a" }] }],
    [{ M: { a: { S: "1" } } }, { M: { b: { S: "1" } } }],
    [{ M: { a: { S: "1" } } }, { M: { a: { S: "1" }, b: { S: "1" } } }],
    [{ BOOL: true }, { BOOL: false }],
    [{ L: [] }, { M: {} }],
  ])("are not equal: %j and %j", (left, right) =>
    expect(equalValues(parseValue(left), parseValue(right))).toBe(false),
  )
})
