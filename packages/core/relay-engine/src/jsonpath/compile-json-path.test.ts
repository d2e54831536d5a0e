import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { SelectorError } from "../errors/selector-error.ts"
import { compileJsonPath } from "./compile-json-path.ts"

function errorOf(selector: string): SelectorError {
  try {
    compileJsonPath(selector)
  } catch (error) {
    if (error instanceof SelectorError) return error
    throw error
  }
  throw new Error("Nothing was thrown")
}

describe("a JSONPath selector", () => {
  test.each([
    "$",
    "$.card.number",
    "$.patients[?(@.country == 'IE')].name",
    "$..*",
    "$.first-name",
    "$['it\\'s', \"x\"][0, -1, 1:5:2]",
    "$[?@.a && (@.b || !@.c) && match(@.d, 'x+')]",
  ])("may be %s", (selector) => {
    expect(compileJsonPath(selector).selector).toBe(selector)
  })

  test.each([
    ["", 0, "must begin with $"],
    ["card.number", 0, "must begin with $"],
    ["$.card ", 7, "white space around"],
    ["$.", 2, "dot must be followed"],
    ["$.first name", 8, "brackets and quotes"],
    ["$[name]", 2, "quotes"],
    ["$.a[(@.length-1)]", 4, "[-1]"],
    ["$.a[?(@.b=1)]", 9, "Write == to compare"],
    ["$.a[?@.b === 'x']", 11, "Write == and !="],
    ["$.a[?@.b =~ /x/]", 9, "match("],
    ["$.a[?@.b == 'x' and @.c]", 16, "&&"],
    ["$.a.length()", 10, "length(@.name)"],
    ["$.a^", 3, "cannot be selected"],
    ["$.a[?@.b == “x”]", 12, "straight quotes"],
  ])("%j is refused with the position %i and the hint %j", (selector, position, hint) => {
    const error = errorOf(selector)
    expect(error.position).toBe(position)
    expect(error.message).toContain(hint)
  })

  test.each([
    "$.a[?length(@.b)]",
    "$.a[?match(@.b)]",
    "$.a[?unknown(@.b)]",
    "$.a[?@.b == @.*]",
    "$.a[?@.b == 1 == 2]",
    "$.a[?!@.b == 1]",
    "$.a[?(@.b && @.c) == (@.d && @.e)]",
    "$.a[?'x']",
    "$.a[?count('x') == 1]",
    "$[01]",
    "$[9007199254740992]",
    "$['\\ud800']",
    "$.\ud800",
    "$.a[?process.exit()]",
    "$.a[?constructor.constructor('x')()]",
  ])("%j is refused", (selector) => {
    expect(errorOf(selector)).toBeInstanceOf(SelectorError)
  })

  test("of 512 characters is accepted, and one more refused", () => {
    const selector = `$.${"a".repeat(510)}`
    expect(compileJsonPath(selector).segments).toHaveLength(1)
    expect(errorOf(`${selector}a`).position).toBeNull()
  })

  test("descends at most twice, including its filters", () => {
    expect(compileJsonPath("$..a..b").segments).toHaveLength(2)
    expect(compileJsonPath("$..a[?@..b]").segments).toHaveLength(2)
    expect(errorOf("$..a..b..c").message).toContain('".."')
    expect(errorOf("$..a..b[?@..c]").message).toContain('".."')
    expect(errorOf("$..a[?count($..b) == count($..c)]").message).toContain('".."')
  })

  test.each(["(", "a{1,100}", "a".repeat(129), "(?=a)", "(a)\\1", `(${"\\p{L}{99}".repeat(8)})`])(
    "with the pattern %s is refused",
    (pattern) => {
      expect(errorOf(`$[?match(@, ${JSON.stringify(pattern)})]`).position).not.toBeNull()
    },
  )

  test.each([
    ["parentheses", `$[?${"(".repeat(250)}@${")".repeat(250)}]`],
    ["filters", `$${"[?@".repeat(127)}${"]".repeat(127)}`],
    ["negations", `$[?${"!".repeat(500)}@]`],
    ["functions", `$[?${"length(".repeat(60)}@${")".repeat(60)}==1]`],
  ])("with many nested %s is either accepted or refused", (_name, selector) => {
    const compile = () => compileJsonPath(selector)
    expect(() => {
      try {
        compile()
      } catch (error) {
        if (!(error instanceof SelectorError)) throw error
      }
    }).not.toThrow()
  })

  test("of any characters is compiled or refused with a SelectorError", () => {
    const pieces = [
      "$",
      "@",
      "..",
      ".",
      "[",
      "]",
      "(",
      ")",
      "?",
      "*",
      "'",
      '"',
      "\\",
      "==",
      "!",
      "&&",
      "<",
      "1",
      "-",
      "e",
    ]
    const more = [
      ":",
      ",",
      "length(",
      "match(",
      "count(",
      " ",
      "a",
      "true",
      "null",
      "~",
      "#",
      "\u0000",
      "é",
      "\ud800",
    ]
    const selector = fc.string({ unit: fc.constantFrom(...pieces, ...more), maxLength: 20 })
    fc.assert(
      fc.property(selector, (rest) => {
        try {
          expect(compileJsonPath(`$${rest}`).segments).toBeInstanceOf(Array)
        } catch (error) {
          expect(error).toBeInstanceOf(SelectorError)
        }
      }),
      { numRuns: 20_000 },
    )
  })
})
