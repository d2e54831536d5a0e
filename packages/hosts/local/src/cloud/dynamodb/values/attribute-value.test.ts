import { describe, expect, test } from "vitest"
import { parseItem, parseValue } from "./attribute-value.ts"
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
  ])("is accepted unchanged: %j", (value) => expect(parseValue(value)).toEqual(value))

  test("keeps names of Object.prototype", () => {
    const text = '{"M":{"__proto__":{"S":"a"},"constructor":{"N":"1"}}}'
    expect(JSON.stringify(parseValue(JSON.parse(text)))).toBe(text)
    const item = '{"__proto__":{"M":{"__proto__":{"BOOL":true}}}}'
    expect(JSON.stringify(Object.fromEntries(parseItem(JSON.parse(item))))).toBe(item)
  })

  test("normalises numbers", () => {
    expect(parseValue({ N: "1.0" })).toEqual({ N: "1" })
    expect(parseValue({ L: [{ N: "1e1" }, { N: "0.10" }] })).toEqual({ L: [{ N: "10" }, { N: "0.1" }] })
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
    [{ SS: ["a"] }],
    [[]],
    [null],
    ["a"],
  ])("is refused with InvalidRecordError when it is %j", (value) => {
    expect(() => parseValue(value)).toThrow(expect.objectContaining({ name: "InvalidRecordError" }))
  })

  test("is accepted 32 levels deep, and refused with InvalidRecordError at 33", () => {
    expect(parseValue(nested(32))).toEqual(nested(32))
    expect(() => parseValue(nested(33))).toThrow(expect.objectContaining({ name: "InvalidRecordError" }))
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
  ])("of %j is %i", (item, size) => expect(itemSize(parseItem(item))).toBe(size))
})
