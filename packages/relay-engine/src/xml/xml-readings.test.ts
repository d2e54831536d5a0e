import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { areNamesAlike, foldMemberName } from "../json/name-readings.ts"
import { UnreadableBodyError } from "../located-body.ts"
import { WalkBudget } from "../walk-budget.ts"
import { compileXmlSelector } from "./compile-xml-selector.ts"
import { locateXml } from "./locate-xml.ts"

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

describe("a document with an element or attribute that is the encrypted one to some reader", () => {
  test.each([
    ["Jackson, Rails: an attribute for an element", "$.o.card", '<o card="4242"/>'],
    ["the same beside the element", "$.o.card", '<o card="4242"><card>1</card></o>'],
    ["the same, at a position", "$.o.card[1]", '<o card="4242"><card>1</card><card>1</card></o>'],
    ["the same, at any depth", "$..card", '<o><x card="4242"/></o>'],
    ["the same, its own text", "$.o.card['#text']", '<o card="4242"/>'],
    ["the same, below a wildcard", "$.*.card", '<o card="4242"/>'],
    ["Jackson, Rails: an element for an attribute", "$.o['@id']", "<o><id>4242</id></o>"],
    ["the same, as CDATA", "$.o['@id']", "<o><id><![CDATA[4242]]></id></o>"],
    ["Go, Jackson: an attribute of another prefix", "$.o['@n']", '<o xmlns:p="u" p:n="4242"/>'],
    ["Jackson: the same for an element", "$.o.n", '<o xmlns:p="u" p:n="4242"/>'],
    ["PHP, xml_parse_into_struct", "$.o.card", "<o><CARD>4242</CARD></o>"],
    ["PHP, on the way there", "$.o.card.number", "<O><CARD><NUMBER>4242</NUMBER></CARD></O>"],
    ["Jackson, case-insensitive: an attribute", "$.o['@card']", '<o Card="4242"/>'],
    ["Jackson, case-insensitive: the long s", "$.o.secret", "<o><\u017fecret>4242</\u017fecret></o>"],
    ["Jackson, case-insensitive: another prefix", "$.o.card", '<o xmlns:p="u"><p:Card>4242</p:Card></o>'],
    ["Jackson, case-insensitive: at a position", "$.o.card[1]", "<o><card>1</card><Card>4242</Card></o>"],
    ["Rails: dashes", "$.o.card_number", "<o><card-number>4242</card-number></o>"],
    [
      "Jackson, in the test of a filter",
      "$.o.i[?@.type == 'card'].n",
      '<o><i type="card"><n>4242</n></i></o>',
    ],
    [
      "Rails, in the test of a filter",
      "$.o.i[?@['@type'] == 'card'].n",
      "<o><i><type>card</type><n>4242</n></i></o>",
    ],
  ])("is refused: %s", (_, selector, document) => {
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

  test("passes when it is in another namespace, and is read by namespaces", () => {
    const document = '<o xmlns:p="urn:else"><p:Card>1</p:Card><p:card>1</p:card></o>'
    expect(isRefused(document, ["$.o['c:card']"], undefined, NAMESPACES)).toBe(false)
  })

  test("passes when a selection that encrypts selects the other too, and not when one decrypts it", () => {
    const document = '<o card="1"><card>2</card></o>'
    const both = ["$.o.card", "$.o['@card']"]
    expect(isRefused(document, both)).toBe(false)
    expect(isRefused(document, both, { encrypting: new Set([0]) })).toBe(true)
    expect(isRefused(document, both, { encrypting: new Set([1]) })).toBe(true)
  })

  test("is refused with payload-too-large rather than read for long", () => {
    const document = `<o><${"_".repeat(4_000)}x>1</${"_".repeat(4_000)}x></o>`
    expect(isRefused(document, ["$.o.card"])).toBe(false)
    expect(() => isRefused(document, ["$.o.card"], { encrypting: new Set([0]), maxSteps: 400 })).toThrow(
      expect.objectContaining({ reason: "too-large" }),
    )
  })
})

test("names are told alike without folding them as by folding them", () => {
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
