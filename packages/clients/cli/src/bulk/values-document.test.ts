import fc from "fast-check"
import { expect, test } from "vitest"
import { literalsOf, readValues, valuesOf } from "./values-document.ts"

const bytesOf = (text: string) => Buffer.from(text)

const scalar = fc
  .oneof(fc.string({ unit: "binary" }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean())
  .map((value) => Buffer.from(JSON.stringify(value)).toString("latin1"))

test("a written document is read back, literal by literal", () =>
  fc.assert(
    fc.property(fc.array(scalar), (literals) => {
      const document = valuesOf(literals)
      expect(literalsOf(document)).toEqual(literals)
      const read = readValues(document.bytes, literals.length)
      expect(read && literalsOf(read)).toEqual(literals)
    }),
  ))

const piece = fc.constantFrom(
  ...[
    "[",
    "]",
    '"',
    ",",
    '"a"',
    '"ev:b"',
    "1",
    "true",
    " ",
    "\n",
    "\\",
    "\\n",
    '","',
    '["',
    '"]',
    "{}",
    '"a":',
  ],
)

test("accepts exactly the arrays of scalars that JSON.parse accepts", () =>
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.nat(4), (pieces, count) => {
      const text = `["a",${pieces.join("")}]`
      let expected: unknown = null
      try {
        expected = JSON.parse(text)
      } catch {}
      const isScalars = Array.isArray(expected) && expected.every((item) => typeof item !== "object")
      const read = readValues(bytesOf(text), count)
      if (Array.isArray(expected) && isScalars && expected.length === count) {
        expect(read && literalsOf(read).map((literal) => JSON.parse(literal))).toEqual(expected)
      } else expect(read).toBeNull()
    }),
    { numRuns: 2_000 },
  ))

test.each(['["a","b', '["a","b"', '["a",]', '["a"],', '["a""b"]', '["a\nb","c"]', '["a":"b"]', '["'])(
  "refuses %j",
  (text) => {
    for (const count of [0, 1, 2, 3]) expect(readValues(bytesOf(text), count)).toBeNull()
  },
)

test("refuses bytes that are not UTF-8", () => {
  expect(readValues(Buffer.from('["\xff"]', "latin1"), 1)).toBeNull()
})
