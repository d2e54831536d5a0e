import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { UnreadableBodyError } from "../body/located-body.ts"
import { compileJsonPath } from "../jsonpath/compile-json-path.ts"
import { foldMemberName, isFoldedAlike, isFoldedTo } from "../tree/name-readings.ts"
import { locateJson } from "./locate-json.ts"
import { JSON_READER_CASES } from "./testing/json-reader-cases.ts"

const ALL = { encrypting: new Set([0, 1, 2]) }
const isRefused = (
  body: string,
  selectors: readonly string[],
  options: Parameters<typeof locateJson>[2] = ALL,
) => {
  try {
    locateJson(Buffer.from(body), selectors.map(compileJsonPath), options)
    return false
  } catch (error) {
    if (error instanceof UnreadableBodyError && error.reason === "malformed") return true
    throw error
  }
}

describe("a body whose encrypted field some parser sees in another one", () => {
  test.each(JSON_READER_CASES)("is refused: $what ($readers)", ({ selector, body }) => {
    expect(isRefused(body, [selector])).toBe(true)
    expect(isRefused(body, [selector], {})).toBe(false)
    expect(isRefused(body, [selector], { ...ALL, caseSensitiveNames: true })).toBe(false)
  })

  test.each([
    ["of other names", "$.name", '{"names":"1","nam":"1","name_x":"1","nbme":"1","":"1","姓名":"1","ſ":"1"}'],
    ["without values in it", "$.card", '{"CARD":null,"Card":{},"cARD":[[]]}'],
    ["in another place", "$.card.number", '{"NUMBER":"1","card":{"x":{"Number":"1"}}}'],
    ["which reads on differently", "$.card.number", '{"CARD":{"name":"1"}}'],
    [
      "at other positions",
      "$.items[0].card",
      '{"items":{"1":{"card":"1"},"00":{"card":"1"},"a":{"card":"1"}}}',
    ],
    ["of names in an array", "$.items.first.card", '{"items":[{"card":"1"}]}'],
    [
      "in several elements of a list",
      "$.list[?@.t == 'a'].n",
      '{"list":[{"t":"a","n":"1"},{"t":"b","n":"1"}]}',
    ],
    [
      "in one value with a filter that it does not pass",
      "$.list[?@.t == 'a'].n",
      '{"list":{"t":"b","n":"1"}}',
    ],
    ["in one value, where another element is selected", "$.list[1].n", '{"list":{"n":"1"}}'],
    ["in a map of values", "$.card.*", '{"card":{"number":"1","cvc":"2"},"x":"3"}'],
    ["in lists at any depth", "$..number", '{"a":[{"b":[{"number":"1"}],"c":"1"}]}'],
    [
      "with dots, of other parts",
      "$.card.number",
      '{"card.name":"1","x.card.number":"1","v1.2":"1",".":"1"}',
    ],
    ["with dots, in another place", "$.card.number", '{"order":{"card.number":"1"}}'],
    ["in a list of texts", "$.card.number", '{"card":["1"]}'],
    ["of no elements", "$.items['5'].card", '{"items":[{"card":"1"}]}'],
    ["that prototypes have, and no members", "$.card", '{"__proto__":1,"x":{"__proto__":{}}}'],
    ["of other letters", "$.größe", '{"grosse":"1","groſe":"1","gro\u0301ße":"1"}'],
    ["that readers do not expand", "$.strasse", '{"straße":"1"}'],
  ])("passes when it has fields %s", (_, selector, body) => {
    expect(isRefused(body, [selector])).toBe(false)
  })

  test.each([
    ["$.card.number", '{"x":{"number":"4242"},"card":{"$ref":"$.x"}}'],
    ["$.card.number", '{"x":{"$id":"1","number":"4242"},"card":{"\\u0024ref":"1"}}'],
    ["$.cards[*].number", '[{"$ref":"$"}]'],
  ])("is refused with a reference, which readers follow to the field: %s, %s", (selector, body) => {
    expect(isRefused(body, [selector])).toBe(true)
    expect(isRefused(body, [selector], { ...ALL, caseSensitiveNames: true })).toBe(false)
  })

  test("passes with a reference that is encrypted itself, or none", () => {
    expect(isRefused('{"x":"4242","card":{"$ref":"$.x"}}', ["$.card"])).toBe(false)
    expect(isRefused('{"$ref":{},"ref":"$.x","a":{"$ref":null},"b":"$ref"}', ["$.card"])).toBe(false)
  })

  test("passes when an encrypting selection selects the other field too, and not when one decrypts it", () => {
    const body = '{"card":"1","CARD":"2"}'
    expect(isRefused(body, ["$.card", "$.CARD"])).toBe(false)
    expect(isRefused(body, ["$.card", "$.CARD"], { encrypting: new Set([0]) })).toBe(true)
    expect(isRefused(body, ["$.card", "$.*"], { encrypting: new Set([0, 1]) })).toBe(false)
  })

  test.each([
    ["$.card.number", '{"CARD":{"number":"4242"}}', "ignore letter case, blanks, `_` and `-`"],
    ["$.items[0].card", '{"items":{"0":{"card":"4242"}}}', "take a name for a position"],
    ["$.card.number", '{"card":[{"number":"4242"}]}', "take one value for a list, or a list for one value"],
    ["$.card.number", '{"card.number":"4242"}', "take a dotted name for a path"],
  ])("is refused with the selector and who reads it so: %s, %s", (selector, body, readers) => {
    expect(() => locateJson(Buffer.from(body), [compileJsonPath(selector)], ALL)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /^A field could be read as `.*` by readers that .*: rename it, or set caseSensitiveNames\.$/,
        ),
      }),
    )
    expect(() => locateJson(Buffer.from(body), [compileJsonPath(selector)], ALL)).toThrow(
      `\`${selector}\` by readers that`,
    )
    expect(() => locateJson(Buffer.from(body), [compileJsonPath(selector)], ALL)).toThrow(readers)
  })

  test("is refused with payload-too-large rather than read for long", () => {
    const long = `{"name${"_".repeat(4_000)}x":"1"}`
    expect(isRefused(long, ["$.name"])).toBe(false)
    expect(() => isRefused(long, ["$.name"], { ...ALL, maxSteps: 400 })).toThrow(UnreadableBodyError)
    const escaped = `{"\\u006eame${"x".repeat(4_000)}":"1"}`
    expect(() => isRefused(escaped, ["$.name"], { ...ALL, maxSteps: 400 })).toThrow(UnreadableBodyError)
    const dotted = `{"${"0.".repeat(64)}x":"1"}`
    expect(isRefused(dotted, ["$.a.b"])).toBe(false)
    expect(() => isRefused(dotted, ["$.a.b"], { ...ALL, maxSteps: 400 })).toThrow(UnreadableBodyError)
  })
})

test("a position that another selection encrypts by name is not refused", () => {
  const body = '{"items":{"0":{"card":"4242"}}}'
  expect(isRefused(body, ["$.items[0].card", "$.items['0'].card"])).toBe(false)
  expect(isRefused(body, ["$.items[0].card", "$..card"])).toBe(false)
})

describe("field names", () => {
  test("are compared the same in bytes as in text", () => {
    const character = fc.constantFrom(
      "a",
      "A",
      "b",
      "i",
      "ı",
      "İ",
      "s",
      "ſ",
      "k",
      "\u212a",
      "_",
      "-",
      " ",
      "é",
      "É",
      "名",
      "😀",
      '"',
      "\\",
      "\0",
    )
    const name = fc.array(character, { maxLength: 5 }).map((characters) => characters.join(""))
    fc.assert(
      fc.property(name, name, (own, wanted) => {
        const body = JSON.stringify({ [own]: "1" })
        const isNear = own !== wanted && foldMemberName(own) === foldMemberName(wanted)
        // Of such a name only the part before the NUL is folded.
        fc.pre(!wanted.includes("\0"))
        expect(isRefused(body, [`$[${JSON.stringify(wanted)}]`])).toBe(isNear)
      }),
      { numRuns: 2_000 },
    )
  })

  test("are folded like Unicode's simple folding, and further", () => {
    for (let code = 0; code < 0x1e944; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const text = String.fromCodePoint(code)
      for (const other of [text.toLowerCase(), text.toUpperCase()]) {
        const mapped = other.codePointAt(0) ?? 0
        // Only single characters: parsers fold each separately.
        if (mapped === code || String.fromCodePoint(mapped) !== other) continue
        if (!isFoldedAlike(code, mapped))
          throw new Error(`U+${code.toString(16)} is not U+${mapped.toString(16)}`)
      }
    }
  })
})

describe("a name that is much longer than the wanted one", () => {
  test.each([
    ["separators", `g${"_-".repeat(50_000)}r\u00f6\u00dfe`, true],
    ["what is behind a NUL", `gr\u00f6\u00dfe\0${"x".repeat(100_000)}`, true],
    ["separators, and another letter at its end", `gr\u00f6\u00dfe${"_".repeat(100_000)}s`, false],
    ["other letters", `gr${"o\u0308".repeat(50_000)}\u00dfe`, false],
  ])("is distinguished from it, or not, for %s", (_, name, expected) => {
    expect(isFoldedTo(name, "gr\u00f6\u00dfe")).toBe(expected)
    expect(foldMemberName(name) === foldMemberName("gr\u00f6\u00dfe")).toBe(expected)
  })

  test("is distinguished from it as by folding both, whatever it contains", () => {
    const letter = fc.constantFrom(
      "a",
      "A",
      "_",
      "-",
      "\0",
      "\u1f82",
      "\u03b1\u0313\u0300\u0345",
      "\u{2f800}",
      "\u4e3d",
    )
    const name = (maxLength: number) => fc.array(letter, { maxLength }).map((letters) => letters.join(""))
    fc.assert(
      fc.property(name(60), name(3), (own, wanted) => {
        expect(isFoldedTo(own, wanted)).toBe(foldMemberName(own) === foldMemberName(wanted))
      }),
      { numRuns: 3_000 },
    )
  })
})
