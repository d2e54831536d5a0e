import fc from "fast-check"
import { expect, test } from "vitest"
import { encodeEncryptionContext } from "./encryption-context.ts"

const pairs = fc.uniqueArray(
  fc.tuple(fc.string({ minLength: 1, unit: "grapheme" }), fc.string({ minLength: 1, unit: "grapheme" })),
  { selector: ([key]) => key, maxLength: 6 },
)

test("encodes each pair, sorted by key, as two length-prefixed strings", () => {
  expect(encodeEncryptionContext({ team: "é", app: "1" }).toString("latin1")).toBe(
    "\0\0\0\x03app\0\0\0\x011\0\0\0\x04team\0\0\0\x02\xc3\xa9",
  )
})

test("gives the same bytes for any order of the pairs", () => {
  fc.assert(
    fc.property(pairs, (entries) => {
      const reversed = Object.fromEntries(entries.toReversed())
      expect(encodeEncryptionContext(reversed)).toEqual(encodeEncryptionContext(Object.fromEntries(entries)))
    }),
  )
})

test("gives different bytes for different maps", () => {
  fc.assert(
    fc.property(pairs, pairs, (left, right) => {
      const key = (entries: [string, string][]) =>
        JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
      fc.pre(key(left) !== key(right))
      expect(encodeEncryptionContext(Object.fromEntries(left))).not.toEqual(
        encodeEncryptionContext(Object.fromEntries(right)),
      )
    }),
  )
})

test.each([
  [{ a: "b", c: "d" }, { a: "b\0\0\0\x01c\0\0\0\x01d" }],
  [{ ab: "c" }, { a: "bc" }],
  [{ "a=b": "c" }, { a: "b=c" }],
  [JSON.parse('{"__proto__": "a"}'), {}],
])("distinguishes %o from %o", (left, right) => {
  expect(encodeEncryptionContext(left)).not.toEqual(encodeEncryptionContext(right))
})

test.each([
  ["an empty key", { "": "a" }],
  ["an empty value", { a: "" }],
  ["an unpaired surrogate", { a: "\ud800" }],
  ["8193 characters", { a: "b".repeat(8192) }],
])("refuses %s", (_, context) => {
  expect(() => encodeEncryptionContext(context)).toThrow(TypeError)
})

test("accepts 8192 characters", () => {
  expect(encodeEncryptionContext({ a: "b".repeat(8191) })).toHaveLength(4 + 1 + 4 + 8191)
})
