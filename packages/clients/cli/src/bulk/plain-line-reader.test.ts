import { compileJsonPath, locateJson, UnreadableBodyError } from "@sealway/relay-engine"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PlainLineReader } from "./plain-line-reader.ts"

function readerOf(selectors: readonly string[]): PlainLineReader {
  const reader = PlainLineReader.create(selectors.map(compileJsonPath))
  if (reader === null) throw new Error("The selectors are not plain")
  return reader
}

/** Returns what is selected in a line; null when the reader gives up on it. */
function read(line: string, selectors: readonly string[]) {
  const reader = readerOf(selectors)
  const before = Buffer.from("before\n")
  const bytes = Buffer.concat([before, Buffer.from(line), Buffer.from('\n{"a":1}\n')])
  const start = before.length
  if (!reader.read(bytes, start, start + Buffer.byteLength(line) + 1)) return null
  return reader.starts.map((from, index) => ({
    start: from - start,
    end: (reader.ends[index] ?? 0) - start,
    selectors: reader.selectors[index],
  }))
}

function locate(line: string, selectors: readonly string[]) {
  try {
    const { selected } = locateJson(Buffer.from(line), selectors.map(compileJsonPath))
    return selected.map(({ start, end, selectors: indexes }) => ({ start, end, selectors: indexes }))
  } catch (error) {
    if (error instanceof UnreadableBodyError) return "unreadable"
    throw error
  }
}

const SELECTORS = ["$.a", "$.b.a", "$['b']['é']", "$.a"]

const piece = fc.constantFrom(
  ...[
    '{"a":',
    '"a"',
    '"b":',
    '"é":',
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "1",
    "-0",
    "01",
    "1.5e+3",
    "1.",
    "-",
    "2E5",
  ],
  ...[
    '"x"',
    '"\\n"',
    '"\\u00e9"',
    '"\\x"',
    '"\\u00g0"',
    '"',
    "\\",
    "true",
    "nul",
    "null",
    "fals",
    "false",
    " ",
  ],
  ...["\t", "\r", "\0", "\u007f", '{"a":1}', '{"b":{"a":2}}', '{"\\u0061":1}', "[]", "{}"],
)

test("reads what any JSON parser reads the same way, and nothing broken", () => {
  let plain = 0
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const line = pieces.join("")
      const own = read(line, SELECTORS)
      if (own === null) return
      plain++
      expect(own).toEqual(locate(line, SELECTORS))
    }),
    { numRuns: 3_000 },
  )
  expect(plain).toBeGreaterThan(0)
})

const name = fc.constantFrom("a", "b", "é", "c", "aa")
const document = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc
      .oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null))
      .map((x) => JSON.stringify(x)),
    fc.array(tie("value")).map((items) => `[ ${items.join(" ,")}]`),
    fc
      .array(fc.tuple(name, tie("value")))
      .map((members) => `{${members.map(([key, value]) => `"${key}" :${value}`).join(", ")} }`),
  ),
})).value as fc.Arbitrary<string>

test("finds the same in whole documents as locateJson, including duplicate names", () =>
  fc.assert(
    fc.property(document, (line) => {
      const own = read(line, SELECTORS)
      if (own !== null) expect(own).toEqual(locate(line, SELECTORS))
    }),
    { numRuns: 1_000 },
  ))

test.each([
  ['{"id":1,"a":"x","b":{"a":-1.5e3,"c":[true,{"a":2}]}}', ['"x"', "-1.5e3"]],
  ['{"a":null,"b":{"é":false}}', ["false"]],
  ['{"a":1,"a":"\\u00e9\\n"}', ["1", '"\\u00e9\\n"']],
  ["[]", []],
  ["17", []],
])("reads %s itself", (line, found) => {
  const bytes = Buffer.from(line)
  expect(read(line, SELECTORS)?.map(({ start, end }) => bytes.toString("utf8", start, end))).toEqual(found)
})

describe("gives up", () => {
  test.each([
    ["a container that is selected", '{"a":[1]}'],
    ["a name with a backslash, which may be a selected one", '{"\\u0061":1}'],
    ["two texts", "1 2"],
    ["nothing", ""],
    ["a text that ends too soon", '{"a":1'],
    ["a string that ends too soon", '{"a":"1'],
    ["more brackets than it keeps count of", "[".repeat(33) + "]".repeat(33)],
  ])("on %s", (_name, line) => {
    expect(read(line, SELECTORS)).toBeNull()
  })

  test.each(["$..a", "$.*", "$[0]", "$['a','b']", "$[?@.a]"])("on the selector %s", (selector) => {
    expect(PlainLineReader.create([compileJsonPath(selector)])).toBeNull()
  })
})
