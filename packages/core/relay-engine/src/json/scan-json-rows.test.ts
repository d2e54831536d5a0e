import { isUtf8 } from "node:buffer"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { UnreadableBodyError } from "../body/located-body.ts"
import { readJsonTree } from "./read-json-tree.ts"

const DEEP = 5_000

function accepts(bytes: Buffer, maxDepth = DEEP): boolean {
  try {
    readJsonTree(bytes, maxDepth)
    return true
  } catch (error) {
    if (error instanceof UnreadableBodyError && error.reason === "malformed") return false
    throw error
  }
}

function parses(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString())
    return true
  } catch {
    return false
  }
}

function reasonOf(read: () => unknown): string {
  try {
    read()
    return "none"
  } catch (error) {
    return error instanceof UnreadableBodyError ? error.reason : String(error)
  }
}

const DAMAGE = [
  ...Array.from(',:"\\{}[]0-+.eE1u \n\t\r/ntf', (character) => Buffer.from(character)),
  ...[0x00, 0x01, 0x1f, 0x7f, 0x80, 0xc0, 0xed, 0xff].map((byte) => Buffer.from([byte])),
  Buffer.from("\ufeff"),
  Buffer.from("\\u00"),
  Buffer.from("\\ud800"),
  Buffer.from("null"),
  Buffer.from("é"),
]

/** Texts that are almost JSON, on which parsers disagree. */
const nearJson = fc
  .tuple(
    fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc.constantFrom(
        '{"a":[1.0e-3,-0,true],"b\\u00e9":{"c":null}}',
        '[ [ ] , { } , "\\"" , 10.5E+7 , false ]',
      ),
    ),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...DAMAGE), fc.nat(2)), { minLength: 1, maxLength: 3 }),
  )
  .map(([json, damages]) =>
    damages.reduce((bytes: Buffer, [position, damage, removed]) => {
      const at = position % (bytes.length + 1)
      return Buffer.concat([bytes.subarray(0, at), damage, bytes.subarray(at + removed)])
    }, Buffer.from(json)),
  )
  .filter((bytes) => !(bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf))

describe("scanning JSON rows", () => {
  test("accepts and refuses what JSON.parse accepts and refuses, where the bytes are UTF-8", () => {
    fc.assert(
      fc.property(nearJson, (bytes) => {
        expect(accepts(bytes)).toBe(isUtf8(bytes) && parses(bytes))
      }),
      { numRuns: 10_000 },
    )
  })

  test("accepts and refuses what JSON.parse does for short texts of JSON's own characters", () => {
    const text = fc.string({ maxLength: 9, unit: fc.constantFrom(...'{}[]":,01-.eE+ \\utfalsn') })
    fc.assert(
      fc.property(text, (each) => {
        expect(accepts(Buffer.from(each))).toBe(parses(Buffer.from(each)))
      }),
      { numRuns: 10_000 },
    )
  })

  test.each([
    "",
    " ",
    "\ufeff",
    "nul",
    "nulll",
    "01",
    "1.",
    ".1",
    "-",
    "1e",
    "1e+",
    "+1",
    "[1,]",
    "[,1]",
    '{"a"}',
  ])("refuses %j", (text) => {
    expect(accepts(Buffer.from(text))).toBe(false)
  })

  test.each([
    '{"a":1,}',
    "{,}",
    "{1:1}",
    "{'a':1}",
    "[1 2]",
    "[1]]",
    "NaN",
    "1//",
    '"\n"',
    '"\\x"',
    '"\\u12g4"',
    '"',
  ])("refuses %j too", (text) => {
    expect(accepts(Buffer.from(text))).toBe(false)
  })

  test("refuses bytes that are not UTF-8 instead of repairing them", () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
      expect(accepts(Buffer.from([0x22, ...bytes, 0x22]))).toBe(false)
    }
  })

  test("accepts a byte order mark at the start, and nowhere else", () => {
    expect(accepts(Buffer.from("\ufeff[1]"))).toBe(true)
    expect(accepts(Buffer.from("\ufeff\ufeff[1]"))).toBe(false)
    expect(accepts(Buffer.from("[1]\ufeff"))).toBe(false)
  })

  test.each([
    ["arrays", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("accepts %s nested as deep as the limit and refuses one more", (_name, opening, closing) => {
    const nested = (depth: number) => Buffer.from(`${opening.repeat(depth)}1${closing.repeat(depth)}`)
    expect(accepts(nested(256), 256)).toBe(true)
    expect(reasonOf(() => readJsonTree(nested(257), 256))).toBe("too-large")
  })

  test("refuses a million opening brackets without a stack overflow", () => {
    expect(reasonOf(() => readJsonTree(Buffer.from("[".repeat(1_000_000))))).toBe("too-large")
  })

  test.each([
    ["one digit each", (count: number) => `[${"1,".repeat(count - 1)}1]`],
    ["empty arrays", (count: number) => `[${"[],".repeat(count - 1)}[]]`],
    ["sparse first, then dense", (count: number) => `["${"x".repeat(100_000)}",${"1,".repeat(count - 2)}1]`],
    ["dense first, then sparse", (count: number) => `[${"1,".repeat(count - 1)}"${"x".repeat(100_000)}"]`],
  ])("finds every one of many values: %s", (_name, write) => {
    for (const count of [2, 15, 16, 17, 100_000]) {
      expect(readJsonTree(Buffer.from(write(count))).size).toBe(count + 1)
    }
  })

  test("says where a text is not JSON and nothing of the text there", () => {
    const secret = Buffer.from('{"a": hunter2}')
    expect(() => readJsonTree(secret)).toThrow("Unexpected byte in JSON at byte 6")
    expect(() => readJsonTree(secret.subarray(0, 5))).toThrow("JSON ends unexpectedly at byte 5")
  })
})
