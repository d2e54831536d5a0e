import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { copyDocument } from "./copy-document.ts"

/** Copies, and puts the values back where they were. */
function roundTrip(data: unknown): unknown {
  const { values, fill } = copyDocument(data)
  return fill(values.map(({ type, text }) => (type === "string" ? text : JSON.parse(text))))
}

const TOKEN =
  "ev:Tk9D:1sfU+3Xel3OLnQXM:A2JJim2nKSbHK+7gL5Ydow6UPGprFBT8XrVNkSL7+YKF:U9juPHngC2oIBmKvBfqRf8K2KZiovtcwde7a1B+RPfE:$"

describe("the copy of a document", () => {
  test("is what JSON makes of it, for any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value)
        fc.pre(text.isWellFormed() && !text.includes("\\ud"))
        expect(JSON.stringify(roundTrip(JSON.parse(text)))).toBe(text)
      }),
    )
  })

  test("has the values in the order of the document, numbers with the digits of JSON", () => {
    const { values } = copyDocument({ a: "x", b: [1e21, -0, 0.1], c: { d: true, e: null } })
    expect(values).toEqual([
      { type: "string", text: "x" },
      { type: "number", text: "1e+21" },
      { type: "number", text: "0" },
      { type: "number", text: "0.1" },
      { type: "boolean", text: "true" },
    ])
  })

  test("keeps tokens, null, empty objects and empty arrays, and needs no value for them", () => {
    const data = { a: TOKEN, b: [null, {}, []], c: [TOKEN] }
    const { values, fill } = copyDocument(data)
    expect([values, fill([])]).toEqual([[], data])
  })

  test("leaves out undefined fields, and has null for undefined items and holes, as JSON does", () => {
    const holes: unknown[] = ["a"]
    holes[3] = "b"
    const data = { a: undefined, b: [undefined, 1], c: holes }
    expect(roundTrip(data)).toEqual(JSON.parse(JSON.stringify(data)))
    expect(Object.keys(roundTrip(data) as object)).toEqual(["b", "c"])
  })

  test("calls toJSON once, with the name of the field", () => {
    const names: unknown[] = []
    const nested = { toJSON: (name: string) => ({ toJSON: undefined, text: String(names.push(name)) }) }
    expect(roundTrip({ at: new Date(0), nested })).toEqual({
      at: "1970-01-01T00:00:00.000Z",
      nested: { text: "1" },
    })
    expect(names).toEqual(["nested"])
  })

  test("does not change when the document does", () => {
    const data = { list: ["a"], text: "b" }
    const { values, fill } = copyDocument(data)
    data.list.push("c")
    data.text = "d"
    expect(fill(values.map(({ text }) => text))).toEqual({ list: ["a"], text: "b" })
  })

  test("has __proto__ and constructor as fields like others, and no other prototype", () => {
    const text = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}'
    const copy = roundTrip(JSON.parse(text)) as object
    expect(JSON.stringify(copy)).toBe(text)
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect("isAdmin" in {}).toBe(false)
  })

  test("has an object twice that the document has twice", () => {
    const shared = { a: 1 }
    expect(roundTrip([shared, shared])).toEqual([{ a: 1 }, { a: 1 }])
  })

  test("reads objects without prototype and of classes by their own fields", () => {
    class Card {
      number = "4242"
      get masked(): string {
        return "****"
      }
    }
    expect(roundTrip([Object.assign(Object.create(null), { a: 1 }), new Card()])).toEqual([
      { a: 1 },
      { number: "4242" },
    ])
  })
})

function cyclic(): unknown {
  const node: Record<string, unknown> = { a: {} }
  node.a = { b: [node] }
  return node
}

function nested(depth: number): unknown {
  let data: unknown = "x"
  for (let level = 0; level < depth; level++) data = [data]
  return data
}

/** Small in memory, but 2^levels values. */
function doubled(levels: number): unknown {
  let data: unknown = "x"
  for (let level = 0; level < levels; level++) data = [data, data]
  return data
}

describe("refuses with a TypeError that names the place", () => {
  test.each([
    ["a cycle", cyclic(), "/a/b/0"],
    ["NaN", { a: Number.NaN }, "/a"],
    ["Infinity", [0, Number.NEGATIVE_INFINITY], "/1"],
    ["a BigInt", { "a/b~c": 1n }, "/a~1b~0c"],
    ["a function", { a: () => 1 }, "/a"],
    ["a symbol", { a: Symbol("x") }, "/a"],
    ["a Map", { a: new Map([["b", 1]]) }, "/a"],
    ["a Set", [new Set([1])], "/0"],
    ["a promise that nobody waited for", { a: Promise.resolve(1) }, "/a"],
    ["an error", { a: new Error("x") }, "/a"],
    ["a regular expression", { a: /x/ }, "/a"],
    ["a boxed number", { a: Object(1) }, "/a"],
    ["a boxed string", { a: Object("x") }, "/a"],
    ["bytes inside of other data", { a: new Uint8Array(1) }, "/a"],
    ["a Buffer inside of other data", { a: Buffer.from("x") }, "/a"],
    ["an ArrayBuffer inside of other data", { a: new ArrayBuffer(1) }, "/a"],
    ["a Blob inside of other data", { a: new Blob(["x"]) }, "/a"],
    ["a lone surrogate", { a: "x\ud800" }, "/a"],
    ["nothing", undefined, ""],
    ["a toJSON without result", { toJSON: () => undefined }, ""],
    ["a field's toJSON that returns a BigInt", { a: { toJSON: () => 1n } }, "/a"],
  ])("%s", (_what, data, place) => {
    const copying = () => copyDocument(data)
    expect(copying).toThrow(TypeError)
    expect(copying).toThrow(expect.objectContaining({ pointer: place }))
  })
})

describe("refuses with a RangeError", () => {
  test.each([
    ["101 levels", () => nested(101)],
    ["a million levels", () => nested(1_000_000)],
    ["250,001 values", () => Array.from({ length: 250_001 }, () => 1)],
    ["few objects that are a million values", () => doubled(90)],
    ["an array that is only long", () => Object.assign([], { length: 2 ** 32 - 1 })],
    ["a million nulls and one", () => Array.from({ length: 1_000_001 }, () => null)],
    ["a string of 5 MB and a byte", () => "x".repeat(5_242_881)],
    ["a string of more than 5 MB in UTF-8", () => "✓".repeat(1_747_627)],
    ["twenty-one strings of 5 MB", () => Array.from({ length: 21 }, () => "x".repeat(5_242_880))],
  ])("%s", (_what, data) => {
    expect(() => copyDocument(data())).toThrow(RangeError)
  })

  test("none of what is just within the limits", () => {
    expect(copyDocument(nested(100)).values).toHaveLength(1)
    expect(copyDocument(Array.from({ length: 250_000 }, () => 1)).values).toHaveLength(250_000)
    expect(copyDocument(["x".repeat(5_242_880), "✓".repeat(1_747_626)]).values).toHaveLength(2)
  })
})

test("says nothing of a value or a field in the message of an error", () => {
  const secret = "4242424242424242"
  for (const data of [
    { [secret]: `${secret}\ud800` },
    [BigInt(secret)],
    { a: new Map([[secret, secret]]) },
  ]) {
    const message = expect.not.stringContaining(secret)
    expect(() => copyDocument(data)).toThrow(expect.objectContaining({ name: "TypeError", message }))
  }
})
