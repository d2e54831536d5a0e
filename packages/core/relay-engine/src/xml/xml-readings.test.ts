import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { UnreadableBodyError } from "../body/located-body.ts"
import { areNamesAlike, foldMemberName } from "../tree/name-readings.ts"
import { WalkBudget } from "../tree/walk-budget.ts"
import { compileXmlSelector } from "./compile-xml-selector.ts"
import { locateXml } from "./locate-xml.ts"
import { XML_NAME_CASES, XML_POSITION_CASES, XML_ROOT_CASES } from "./testing/xml-reader-cases.ts"

const NAMESPACES = { c: "urn:cards" }
const encryptAll = (selectors: readonly string[]) => new Set(selectors.keys())

function isRefused(
  document: string,
  selectors: readonly string[],
  options: Parameters<typeof locateXml>[2] = { encrypting: encryptAll(selectors) },
  namespaces: Readonly<Record<string, string>> | null = null,
): boolean {
  try {
    locateXml(
      Buffer.from(document),
      selectors.map((selector) => compileXmlSelector(selector, namespaces)),
      options,
    )
    return false
  } catch (error) {
    if (error instanceof UnreadableBodyError && error.reason === "malformed") return true
    throw error
  }
}

describe("a document with an element or attribute that some parser reads as the encrypted one", () => {
  test.each(XML_NAME_CASES)("is refused: $what ($readers)", ({ selector, document }) => {
    expect(isRefused(document, [selector])).toBe(true)
    expect(isRefused(document, [selector], {})).toBe(false)
  })

  test.each([
    ["letter case", "$.o['c:card']", '<o xmlns:p="urn:cards"><p:Card>4242</p:Card></o>'],
    ["an attribute of the namespace", "$.o['c:card']", '<o xmlns:p="urn:cards" p:card="4242"/>'],
    ["an attribute without a prefix", "$.o['c:card']", '<o card="4242"/>'],
    ["an element", "$.o['@c:card']", '<o xmlns="urn:cards"><card>4242</card></o>'],
  ])("is refused in a namespace: %s", (_, selector, document) => {
    expect(isRefused(document, [selector], undefined, NAMESPACES)).toBe(true)
    expect(isRefused(document, [selector], {}, NAMESPACES)).toBe(false)
  })

  test.each([
    ["of other names", "$.o.card", '<o cards="1" xcard="1"><car>1</car><cart>1</cart></o>'],
    ["in another place", "$.o.card", '<o><x card="1"/><card><card>1</card></card></o>'],
    ["without a value", "$.o.card", "<o><Card/><CARD> </CARD></o>"],
    ["which reads on differently", "$.o.card.n", '<o card="1"><Card><x>1</x></Card></o>'],
    ["that it selects itself", "$.o.*", '<o card="1"><card>1</card></o>'],
    ["of attributes that are only in the other", "$.o.card", '<o><Card id="1"/></o>'],
  ])("passes when it has others %s", (_, selector, document) => {
    expect(isRefused(document, [selector])).toBe(false)
  })

  test("passes when it is in another namespace, and parsed by namespaces", () => {
    const document = '<o xmlns:p="urn:else"><p:Card>1</p:Card><p:card>1</p:card></o>'
    expect(isRefused(document, ["$.o['c:card']"], undefined, NAMESPACES)).toBe(false)
  })

  test("passes when an encrypting selection selects the other too, and not when one decrypts it", () => {
    const document = '<o card="1"><card>2</card></o>'
    const both = ["$.o.card", "$.o['@card']"]
    expect(isRefused(document, both)).toBe(false)
    expect(isRefused(document, both, { encrypting: new Set([0]) })).toBe(true)
    expect(isRefused(document, both, { encrypting: new Set([1]) })).toBe(true)
  })

  test.each(XML_POSITION_CASES)(
    "is refused when positions differ: $what ($readers)",
    ({ selector, document }) => {
      expect(isRefused(document, [selector])).toBe(true)
      expect(isRefused(document, [selector], {})).toBe(false)
      const encrypting = encryptAll([selector])
      expect(isRefused(document, [selector], { encrypting, caseSensitiveNames: true })).toBe(true)
    },
  )

  test.each(XML_ROOT_CASES)("is refused whatever its root: $what ($readers)", ({ selector, document }) => {
    expect(isRefused(document, [selector])).toBe(true)
    expect(isRefused(document, [selector], {})).toBe(false)
    const encrypting = encryptAll([selector])
    expect(isRefused(document, [selector], { encrypting, caseSensitiveNames: true })).toBe(true)
    expect(
      isRefused(document, [selector, selector.replace(/^\$(?:\.\w+|\['p:o'\])/, "$.*").replace("[1]", "")]),
    ).toBe(false)
  })

  test("is refused with another root and other names, unless names are case-sensitive", () => {
    const encrypting = new Set([0])
    for (const document of ['<x card="4242"/>', "<x><Card>4242</Card></x>"]) {
      expect(isRefused(document, ["$.o.card"], { encrypting })).toBe(true)
      expect(isRefused(document, ["$.o.card"], { encrypting, caseSensitiveNames: true })).toBe(false)
    }
  })

  test("is refused with a root of another namespace than declared", () => {
    const document = '<o xmlns:p="urn:cards"><p:card>4242</p:card></o>'
    expect(isRefused(document, ["$['c:o']['c:card']"], undefined, NAMESPACES)).toBe(true)
  })

  test.each([
    ["nothing selected", "$.o.card", "<x><y>1</y></x>"],
    ["the selected names elsewhere", "$.o.card", "<x><y><card>1</card></y></x>"],
    ["a selector for any root", "$.*.card", "<x><y>1</y></x>"],
    ["a selector for any depth", "$..card", "<x><card>1</card></x>"],
  ])("passes with another root and %s", (_, selector, document) => {
    expect(isRefused(document, [selector])).toBe(false)
  })

  test.each([
    ["$.o.card", "<x><card>4242</card></x>", "ignore the name of the root"],
    ["$.o.card", '<o card="4242"/>', "take attributes for elements"],
    [
      "$.o.i[1]",
      '<o xmlns:p="u"><i>1</i><p:i>4242</p:i><i>1</i></o>',
      "count elements without their prefixes",
    ],
  ])("is refused with the selector and who reads it so: %s, %s", (selector, document, readers) => {
    expect(() =>
      locateXml(Buffer.from(document), [compileXmlSelector(selector)], { encrypting: new Set([0]) }),
    ).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`\`${selector}\` by readers that ${readers}`),
      }),
    )
  })

  test.each([
    ["all are encrypted", "$.o.i[0,1,-1]", '<o xmlns:p="u"><i>1</i><p:i>2</p:i><i>3</i></o>'],
    ["each is the only one of its prefix", "$.o.i[0]", '<o xmlns:p="u"><i>1</i><p:i>2</p:i></o>'],
    ["none of them is chosen by position", "$.o.i[*]", '<o xmlns:p="u"><i>1</i><p:i>2</p:i><i>3</i></o>'],
    [
      "they are in different elements",
      "$.o.x.i[1]",
      '<o xmlns:p="u"><x><i>1</i><i>2</i><i>3</i></x><x><p:i>1</p:i><p:i>2</p:i><p:i>3</p:i></x></o>',
    ],
    [
      "others are counted otherwise",
      "$.o.i[1]",
      '<o xmlns:p="u"><x>1</x><p:x>2</p:x><x>3</x><i>1</i><i>2</i><i>3</i></o>',
    ],
    ["all have one prefix", "$.o.i[1]", '<o xmlns:p="u"><p:i>1</p:i><p:i>2</p:i><p:i>3</p:i></o>'],
  ])("passes when %s", (_, selector, document) => {
    expect(isRefused(document, [selector])).toBe(false)
  })

  test("passes when another selection encrypts those that are counted differently", () => {
    const document = '<o xmlns:p="u"><i>1</i><p:i>2</p:i><i>3</i></o>'
    const both = ["$.o.i[1]", "$.o.i"]
    expect(isRefused(document, both)).toBe(false)
    expect(isRefused(document, both, { encrypting: new Set([0]) })).toBe(true)
  })

  test("reports names that only differ in case only if some parser reads them as one", () => {
    const document = "<o><i>1</i><I>2</I></o>"
    const encrypting = new Set([0])
    expect(isRefused(document, ["$.o.*[1]"], { encrypting })).toBe(true)
    expect(isRefused(document, ["$.o.*[1]"], { encrypting, caseSensitiveNames: true })).toBe(false)
  })

  test("is refused with payload-too-large rather than read for long", () => {
    const document = `<o><${"_".repeat(4_000)}x>1</${"_".repeat(4_000)}x></o>`
    expect(isRefused(document, ["$.o.card"])).toBe(false)
    expect(() => isRefused(document, ["$.o.card"], { encrypting: new Set([0]), maxSteps: 400 })).toThrow(
      expect.objectContaining({ reason: "too-large" }),
    )
  })
})

test("compares names without folding them exactly as by folding them", () => {
  const character = fc.constantFrom(..."aAbiıİsſkK_-éÉo\u0308ö名😀")
  const name = fc.array(character, { maxLength: 5 }).map((characters) => characters.join(""))
  fc.assert(
    fc.property(name, name, (own, wanted) => {
      expect(areNamesAlike(own, wanted, new WalkBudget())).toBe(
        foldMemberName(own) === foldMemberName(wanted),
      )
    }),
    { numRuns: 5_000 },
  )
})
