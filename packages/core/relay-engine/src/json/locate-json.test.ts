import { spliceBytes } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { encodeAtOnce } from "../body/encode-in-steps.ts"
import { type LocatedBody, type LocatedValue, readAtOnce, UnreadableBodyError } from "../body/located-body.ts"
import { compileJsonPath } from "../jsonpath/compile-json-path.ts"
import { type JsonLimits, locateJson } from "./locate-json.ts"

function locate(text: string, selectors: readonly string[], limits: Partial<JsonLimits> = {}): LocatedBody {
  return locateJson(Buffer.from(text), selectors.map(compileJsonPath), limits)
}

const literalsOf = (text: string, values: Iterable<LocatedValue>) =>
  [...values].map(({ start, end }) => Buffer.from(text).toString("utf8", start, end))

function selectedLiterals(text: string, ...selectors: string[]): readonly string[] {
  return literalsOf(text, locate(text, selectors).selected)
}

/** Rewrites a body like a relay: replaces every selected value by a text. */
function replaceSelected(text: string, selectors: readonly string[], replacement: string): string {
  const body = locate(text, selectors)
  const edits = body.selected.map((value) => ({
    start: value.start,
    end: value.end,
    text: encodeAtOnce(body.write(value, "string", Buffer.from(replacement))),
  }))
  return spliceBytes(Buffer.from(text), edits).toString()
}

function reasonOf(run: () => unknown): string {
  try {
    run()
    return "none"
  } catch (error) {
    return error instanceof UnreadableBodyError ? error.reason : String(error)
  }
}

// A document that knows how it is spelled, so that it can be written again with other values.

interface Leaf {
  readonly literal: string
}
interface SpelledValue {
  readonly before: string
  readonly node: SpelledNode
  readonly after: string
}
interface Member extends SpelledValue {
  readonly name: readonly [name: string, literal: string]
}
type SpelledNode =
  | Leaf
  | { readonly elements: readonly SpelledValue[]; readonly space: string }
  | { readonly members: readonly Member[]; readonly space: string }

const NAMES = [
  ["a", '"a"'],
  ["a", '"\\u0061"'],
  ["é", '"é"'],
  ["é", '"\\u00E9"'],
  ["b", '"b"'],
  ["bb", '"bb"'],
  ["", '""'],
  ["__proto__", '"__proto__"'],
  ['q"', '"q\\""'],
] as const

const LITERALS = [
  ...["1.0", "-0", "0", "1e400", "12345678901234567890", "1E+2", "0.1e-7", "true", "false", "null"],
  ...['""', '"x"', '"é😀"', '"\\ud83d\\ude00"', '"\\/\\b\\u0000"', '"\\ud800"', '"]}, \\"a\\": 1"', '"\\\\"'],
]

const space = fc.constantFrom("", "", " ", "\n\t", "\r\n  ")

const { node: spelledNode } = fc.letrec<{ node: SpelledNode }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ literal: fc.constantFrom(...LITERALS) }),
    fc.record({
      elements: fc.array(fc.record({ before: space, node: tie("node"), after: space }), { maxLength: 4 }),
      space,
    }),
    fc.record({
      members: fc.array(
        fc.record({ before: space, name: fc.constantFrom(...NAMES), node: tie("node"), after: space }),
        { maxLength: 4 },
      ),
      space,
    }),
  ),
}))

/** Renders the text, replacing values in fields with one of the names. */
function render(
  node: SpelledNode,
  names: ReadonlySet<string>,
  replacement: string,
  isSelected = false,
): string {
  if ("literal" in node) return isSelected && node.literal !== "null" ? replacement : node.literal
  if ("elements" in node) {
    const elements = node.elements.map(
      (each) => each.before + render(each.node, names, replacement, isSelected) + each.after,
    )
    return `[${node.space}${elements.join(",")}]`
  }
  const members = node.members.map(({ before, name: [name, literal], node: value, after }) => {
    const text = render(value, names, replacement, isSelected || names.has(name))
    return `${before}${literal}${before}:${after}${text}${after}`
  })
  return `{${node.space}${members.join(",")}}`
}

describe("replacing what selectors select", () => {
  test("keeps every other byte, however the document is spelled", () => {
    const names = fc.uniqueArray(fc.constantFrom(...NAMES.map(([name]) => name)), { minLength: 1 })
    fc.assert(
      fc.property(spelledNode, names, (node, chosen) => {
        const selectors = chosen.map((name) => `$..[${JSON.stringify(name)}]`)
        const before = render(node, new Set(), "")
        const after = render(node, new Set(chosen), '"ev:\\"token\\""')
        expect(replaceSelected(before, selectors, 'ev:"token"')).toBe(after)
      }),
      { numRuns: 2_000 },
    )
  })

  test("covers, with the rest, every string, number and boolean once and in order", () => {
    const selectors = fc.subarray([
      "$..a",
      "$.*",
      "$..[?@.b]",
      "$[0]",
      "$..*",
      "$",
      "$..['é',0,-1]",
      "$..[::2]",
    ])
    fc.assert(
      fc.property(spelledNode, selectors, (node, chosen) => {
        const text = render(node, new Set(), "")
        const body = locate(text, chosen)
        const starts = [...body.selected, ...body.unselected()].map(({ start }) => start)
        const inOrder = starts.toSorted((one, other) => one - other)
        const all = locate(text, ["$"]).selected.map(({ start }) => start)
        expect(inOrder).toEqual(all)
        expect(body.selected.every(({ selectors: by }) => by.length > 0)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe("locating values in JSON", () => {
  test("selects every value of a container and neither null nor empty containers", () => {
    expect(selectedLiterals('{"a":{"b":[1,"x",null,{},[]],"c":{"d":true}},"e":2}', "$.a")).toEqual([
      "1",
      '"x"',
      "true",
    ])
  })

  test("reports for each value which selectors select it, each once", () => {
    const { selected } = locate('{"a":{"b":1,"c":2},"d":3}', ["$.a.b", "$.d", "$.a", "$['d','d']", "$.x"])
    expect(selected.map(({ selectors }) => selectors)).toEqual([[0, 2], [2], [1, 3]])
  })

  test("selects every field of a duplicate name, and those of an escaped name", () => {
    expect(selectedLiterals('{"pan":"1","x":0,"pan":"2","p\\u0061n":"3"}', "$.pan")).toEqual([
      '"1"',
      '"2"',
      '"3"',
    ])
  })

  test("lets a filter pass an object when any field with the name does", () => {
    const text = '[{"c":"IE","c":"DE","n":1},{"c":"DE","c":"IE","n":2},{"c":"DE","n":3}]'
    expect(selectedLiterals(text, "$[?@.c == 'IE'].n")).toEqual(["1", "2"])
  })

  test("selects a document that is itself a value", () => {
    expect(selectedLiterals(' "x" ', "$")).toEqual(['"x"'])
    expect(selectedLiterals("null", "$")).toEqual([])
  })

  test("finds names with a meaning in JavaScript only where they occur", () => {
    for (const name of ["__proto__", "constructor", "toString", "length"]) {
      expect(selectedLiterals('{"a":[],"b":"text"}', `$..['${name}']`)).toEqual([])
      expect(selectedLiterals(`{"a":{"${name}":1}}`, `$..['${name}']`)).toEqual(["1"])
    }
    expect(Reflect.get({}, "1")).toBeUndefined()
  })

  test("keeps a byte order mark in its place", () => {
    expect(replaceSelected('\ufeff{"a":1}', ["$.a"], "x")).toBe('\ufeff{"a":"x"}')
  })

  test("reads texts unescaped, and numbers and booleans digit for digit", () => {
    const body = locate('["\\u00e9\\n\\ud83d\\ude00",1.0,12345678901234567890,true,""]', ["$[*]"])
    expect(body.selected.map((value) => [value.type, readAtOnce(body.text(value)).toString()])).toEqual([
      ["string", "é\n😀"],
      ["number", "1.0"],
      ["number", "12345678901234567890"],
      ["boolean", "true"],
      ["string", ""],
    ])
  })

  test.each(['["\\ud800"]', '["a\\udc00"]', '["\\ud83d\\u0041"]'])(
    "refuses to read %s, which is not text",
    (text) => {
      const body = locate(text, ["$[0]"])
      const [value] = body.selected
      expect(reasonOf(() => value && readAtOnce(body.text(value)))).toBe("malformed")
    },
  )

  test("writes texts with escapes, and numbers and booleans as literals", () => {
    const body = locate("[1]", ["$[0]"])
    const [value] = body.selected
    const write = (type: "string" | "number" | "boolean", text: string) =>
      value && body.write(value, type, Buffer.from(text))
    expect(write("string", '"\n\u0001é')).toBe('"\\"\\n\\u0001é"')
    expect(write("number", "1.0")).toBe("1.0")
    expect(write("boolean", "false")).toBe("false")
  })

  test("names the place of a value, selected or not", () => {
    const body = locate('{"a":[{"b":1},{"b":2}],"c":3}', ["$..b"])
    expect(body.selected.map((value) => body.path(value))).toEqual(["$['a'][0]['b']", "$['a'][1]['b']"])
    expect([...body.unselected()].map((value) => body.path(value))).toEqual(["$['c']"])
  })

  test("refuses the value of another body", () => {
    const [value] = locate('   "elsewhere"', ["$"]).selected
    expect(() => value && locate("[]", []).path(value)).toThrow(TypeError)
  })
})

describe("limits of locating JSON", () => {
  test("allow the maximum number of selected values and no more", () => {
    const text = JSON.stringify(Array.from({ length: 10 }, () => 1))
    expect(locate(text, ["$[*]", "$"], { maxSelected: 10 }).selected).toHaveLength(10)
    expect(reasonOf(() => locate(text, ["$[*]"], { maxSelected: 9 }))).toBe("too-large")
  })

  test("refuse nesting beyond the limit", () => {
    const nested = `${"[".repeat(257)}1${"]".repeat(257)}`
    expect(reasonOf(() => locate(nested, []))).toBe("too-large")
    expect(locate(nested.slice(1, -1), ["$..*"]).selected).toHaveLength(1)
  })

  test("count the work of all selectors together", () => {
    const text = JSON.stringify(Array.from({ length: 1_000 }, () => 1))
    const selectors = (count: number) => Array.from({ length: count }, () => "$[*]")
    expect(locate(text, selectors(5), { maxSteps: 5_500 }).selected).toHaveLength(1_000)
    expect(reasonOf(() => locate(text, selectors(6), { maxSteps: 5_500 }))).toBe("too-large")
  })
})
