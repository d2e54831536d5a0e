import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { UnreadableBodyError } from "../body/located-body.ts"
import { EncryptedNames } from "../form/encrypted-names.ts"
import { locateQuery, queryText } from "./locate-query.ts"

const found = (target: string, ...names: string[]) =>
  locateQuery(target, names).map(({ start, end, selectors }) => [target.slice(start, end), ...selectors])
const locateEncrypted = (target: string, name: string, maxParameters = 10_000) =>
  locateQuery(target, [name], { encrypted: new EncryptedNames([name]), maxParameters })

describe("query parameters", () => {
  test.each([
    ["/a?card=4242&b=1", [["4242", 0]]],
    [
      "/a?b=1&card=&card=2",
      [
        ["", 0],
        ["2", 0],
      ],
    ],
    ["/a?%63ard=1", [["1", 0]]],
    ["/a?card=a=b?c", [["a=b?c", 0]]],
    ["/card=1", []],
    ["/a?card", []],
    ["/a?&&card=1", [["1", 0]]],
    ["/a?cards=1", []],
    ["/a?100%=1&card=2", [["2", 0]]],
  ])("are found by name in %s", (target, expected) => {
    expect(found(target, "card")).toEqual(expected)
  })

  test("are selected by every selector of their name", () => {
    expect(found("/?a+b=1&c=2", "a b", "c", "a b")).toEqual([
      ["1", 0, 2],
      ["2", 1],
    ])
  })

  test("have the same text as in forms", () => {
    const target = "/?a=%C3%A9+%2B"
    const [place] = locateQuery(target, ["a"])
    expect(place && queryText(target, place).toString()).toBe("é +")
    for (const malformed of ["/?a=%zz", "/?a=%ff"]) {
      const [bad] = locateQuery(malformed, ["a"])
      expect(() => bad && queryText(malformed, bad)).toThrow(UnreadableBodyError)
    }
  })
})

describe("a query with a parameter that some parser reads as an encrypted one", () => {
  test.each([
    ["qs (Express)", "card", "/?[card]=4242"],
    ["qs (Express), PHP, Rack: a list", "card", "/?card[]=4242"],
    ["the same, percent-encoded", "card", "/?card%5B%5D=4242"],
    ["PHP: an item", "card", "/?card[number]=4242"],
    ["PHP: a blank in front", "card", "/?+card=4242"],
    ["PHP: a NUL", "card", "/?card%00x=4242"],
    ["PHP: a dot", "card_x", "/?card.x=4242"],
    ["ASP.NET: letter case", "card", "/?Card=4242"],
    ["readers that leave `+` alone", "a+b", "/?a+b=4242"],
    ["Python before 3.10, Rack before 3: a semicolon", "card", "/?a=1;card=4242"],
    ["the same, without a value in front", "card", "/?a;card=4242"],
    ["qs (Express): a name alone", "card", "/?card[4242"],
    ["browsers: a second question mark", "card", "/??card=4242"],
    ["a name that is malformed", "card", "/?%zz=4242"],
    ["a name that is not UTF-8", "card", "/?%ff=4242"],
  ])("is refused: %s", (_, name, target) => {
    expect(() => locateEncrypted(target, name)).toThrow(expect.objectContaining({ reason: "malformed" }))
    expect(() => locateQuery(target, [name])).not.toThrow()
  })

  test("is accepted when no parser does", () => {
    for (const target of ["/?card=1&cards=2&xcard=3&x[cards]=4", "/card[]?a=1", "/?x=card[]", "/?"]) {
      expect(() => locateEncrypted(target, "card")).not.toThrow()
    }
  })

  test("is refused with too-large above its limit of parameters", () => {
    expect(locateEncrypted("/?a=1&card=2", "card", 4)).toHaveLength(1)
    expect(() => locateEncrypted("/?&&&&&", "card", 4)).toThrow(
      expect.objectContaining({ reason: "too-large" }),
    )
  })
})

describe("positions in a query", () => {
  const piece = fc.constantFrom(
    "card",
    "car%64",
    "=",
    "&",
    "?",
    ";",
    "a",
    "%zz",
    "%",
    "+",
    "[]",
    "#",
    "é",
    "\xff",
    "/",
  )
  const target = fc.array(piece, { maxLength: 20 }).map((pieces) => `/${pieces.join("")}`)

  test("are in order, after a name that equals the selected one, and end at its ampersand", () => {
    fc.assert(
      fc.property(target, (text) => {
        let last = text.indexOf("?")
        for (const { start, end } of locateQuery(text, ["card"])) {
          expect(start).toBeGreaterThan(last)
          expect(text.slice(Math.max(0, start - 7), start)).toMatch(/(?:card|car%64)=$/)
          expect(text.slice(start, end)).not.toContain("&")
          expect([undefined, "&"]).toContain(text[end])
          last = end
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test("include every value that URLSearchParams reads for the name, unless the query is refused", () => {
    fc.assert(
      fc.property(target, (text) => {
        const latin1 = [...text].every((character) => character.charCodeAt(0) < 0x80)
        fc.pre(latin1)
        let places: ReturnType<typeof locateQuery>
        try {
          places = locateEncrypted(text, "card")
        } catch {
          return
        }
        const query = text.includes("?") ? text.slice(text.indexOf("?") + 1) : ""
        const read = [...query.split("&")].filter((each) => each.includes("="))
        const values = read.filter((each) => new URLSearchParams(each).has("card"))
        expect(places.map(({ start, end }) => text.slice(start, end))).toEqual(
          values.map((each) => each.slice(each.indexOf("=") + 1)),
        )
      }),
      { numRuns: 2_000 },
    )
  })
})
