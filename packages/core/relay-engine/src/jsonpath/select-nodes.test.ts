import { describe, expect, test } from "vitest"
import { UnreadableBodyError } from "../body/located-body.ts"
import { normalizedPath } from "../json/location.ts"
import { readJsonTree } from "../json/read-json-tree.ts"
import { WalkBudget } from "../tree/walk-budget.ts"
import { compileJsonPath } from "./compile-json-path.ts"
import { Pattern } from "./pattern.ts"
import { selectNodes } from "./select-nodes.ts"

function select(selector: string, text: string, budget?: WalkBudget): readonly string[] {
  const tree = readJsonTree(Buffer.from(text))
  return selectNodes(compileJsonPath(selector), tree, budget).map((node) => normalizedPath(tree, node))
}

function isTooLarge(run: () => unknown): boolean {
  try {
    run()
    return false
  } catch (error) {
    return error instanceof UnreadableBodyError && error.reason === "too-large"
  }
}

const PATIENTS = `{"limit":40,"patients":[
  {"name":"Ada","country":"IE","age":36,"tags":["a","b"]},
  {"name":"Grace","country":"US","age":85,"tags":[]},
  {"name":"Jos\\u00e9","country":"IE","age":40.0}]}`

describe("selecting nodes", () => {
  test.each([
    ["$.patients[?(@.country == 'IE')].name", ["$['patients'][0]['name']", "$['patients'][2]['name']"]],
    ["$.patients[?@.age >= $.limit].name", ["$['patients'][1]['name']", "$['patients'][2]['name']"]],
    ["$.patients[?@.name == 'José']['name']", ["$['patients'][2]['name']"]],
    ["$.patients[?length(@.name) == 4].age", ["$['patients'][2]['age']"]],
    ["$.patients[?match(@.name, 'A.a')].name", ["$['patients'][0]['name']"]],
    ["$.patients[?count(@.tags[*]) > 1].name", ["$['patients'][0]['name']"]],
    ["$.patients[?@.tags == $.patients[1].tags].name", ["$['patients'][1]['name']"]],
    ["$.patients[?!@.tags || @.age > 80].name", ["$['patients'][1]['name']", "$['patients'][2]['name']"]],
    ["$..tags[-1]", ["$['patients'][0]['tags'][1]"]],
  ])("with %s finds %j", (selector, paths) => {
    expect(select(selector, PATIENTS)).toEqual(paths)
  })

  test("compares objects in any order of their fields, and texts by characters beyond the first 65,536", () => {
    expect(select("$[?@ == $[0]]", '[{"a":1,"b":[2]},{"b":[2.0],"a":1},{"a":1,"b":[2,3]}]')).toHaveLength(2)
    expect(select("$[?@ > '\\uffee']", '["😀","\\uffef","a"]')).toEqual(["$[0]", "$[1]"])
    expect(select("$[?length(@) == 1]", '["😀","ab",[7],{"a":1}]')).toEqual(["$[0]", "$[2]", "$[3]"])
  })

  test("finds deep nodes without a stack overflow", () => {
    const deep = `${'{"a":['.repeat(2_000)}1${"]}".repeat(2_000)}`
    const tree = readJsonTree(Buffer.from(deep), 5_000)
    expect(selectNodes(compileJsonPath("$..a"), tree)).toHaveLength(2_000)
  })
})

describe("a slice", () => {
  const LETTERS = '["a","b","c","d","e","f","g"]'

  // RFC 9535, section 2.3.4: the examples of its table 9, then the edge cases of its normalisation.
  test.each([
    ["$[1:3]", [1, 2]],
    ["$[5:]", [5, 6]],
    ["$[1:5:2]", [1, 3]],
    ["$[5:1:-2]", [5, 3]],
    ["$[::-1]", [6, 5, 4, 3, 2, 1, 0]],
    ["$[::-2]", [6, 4, 2, 0]],
    ["$[1::-1]", [1, 0]],
    ["$[:4:-1]", [6, 5]],
    ["$[-1:-4:-1]", [6, 5, 4]],
    ["$[-3::-2]", [4, 2, 0]],
    ["$[0::-1]", [0]],
    ["$[2:0:-1]", [2, 1]],
    ["$[2:-7:-1]", [2, 1]],
    ["$[2:-8:-1]", [2, 1, 0]],
    ["$[2:-100:-1]", [2, 1, 0]],
    ["$[100::-3]", [6, 3, 0]],
    ["$[7:4:-1]", [6, 5]],
    ["$[6:4:-1]", [6, 5]],
    ["$[::-7]", [6]],
    ["$[::-100]", [6]],
    ["$[1:5:-1]", []],
    ["$[3:3:-1]", []],
    ["$[-8::-1]", []],
    ["$[:6:-1]", []],
    ["$[::0]", []],
    ["$[5:1:0]", []],
    ["$[-3:]", [4, 5, 6]],
    ["$[:-5]", [0, 1]],
    ["$[-100:2]", [0, 1]],
    ["$[5:100]", [5, 6]],
    ["$[3:1]", []],
  ])("%s selects the elements %j of seven, in this order", (selector, elements) => {
    expect(select(selector, LETTERS)).toEqual(elements.map((element) => `$[${element}]`))
  })

  test.each(["$[::-1]", "$[:]", "$[1::-1]"])(
    "%s selects nothing of an empty array or an object",
    (selector) => {
      expect(select(selector, "[]")).toEqual([])
      expect(select(selector, '{"0":"a","1":"b"}')).toEqual([])
    },
  )
})

describe("selection work", () => {
  const budget = () => new WalkBudget(1_000_000)
  const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, () => 1))
  const text = JSON.stringify("x".repeat(1_000_000))

  test.each([
    [
      "a selector that selects each node many times",
      `$${"[*,*,*,*]".repeat(12)}`,
      `${"[".repeat(12)}1${"]".repeat(12)}`,
    ],
    [
      "descent into what was descended into",
      "$..*..*",
      `${"[".repeat(200)}${"1,".repeat(9_000)}1${"]".repeat(200)}`,
    ],
    [
      "a filter that searches below every node",
      "$..[?@..a]",
      `[${"[".repeat(200)}${"1,".repeat(9_000)}1${"]".repeat(200)}]`,
    ],
    [
      "a count below every node",
      "$..[?count(@..*) > 1]",
      `[${"[".repeat(200)}${"1,".repeat(9_000)}1${"]".repeat(200)}]`,
    ],
    [
      "a long text compared for every node",
      "$.a[?$.b == $.c]",
      `{"a":${numbers(1_000)},"b":${text},"c":${text}}`,
    ],
    [
      "a long text ordered for every node",
      "$.a[?$.b <= $.c]",
      `{"a":${numbers(1_000)},"b":${text},"c":${text}}`,
    ],
    ["a long text measured for every node", "$.a[?length($.b) == 1]", `{"a":${numbers(1_000)},"b":${text}}`],
    ["a long text matched for every node", "$.a[?search($.b, 'y')]", `{"a":${numbers(1_000)},"b":${text}}`],
    [
      "a large object compared for every node",
      "$.a[?$.b == $.c]",
      `{"a":${numbers(1_000)},"b":${numbers(9_000)},"c":${numbers(9_000)}}`,
    ],
    [
      "an element far back for every node",
      "$.a[?$.b[-1]][?@ == 1]",
      `{"a":[${"[1],".repeat(999)}[1]],"b":${numbers(999_000)}}`,
    ],
  ])("is bounded for %s", (_name, selector, document) => {
    expect(isTooLarge(() => select(selector, document, budget()))).toBe(true)
  })

  test("for a query from the root is done once for all nodes", () => {
    const document = `{"a":${numbers(5_000)},"b":${numbers(5_000)}}`
    const tree = readJsonTree(Buffer.from(document))
    const nodes = selectNodes(compileJsonPath("$.a[?count($.b[*]) == 5000]"), tree, new WalkBudget(50_000))
    expect(nodes).toHaveLength(5_000)
  })

  test("for patterns that take other engines forever is proportional to the text", () => {
    const evil = `["${"a".repeat(20_000)}!"]`
    for (const pattern of ["(a*)*b", "(a|aa)+$", "(.*a){12}b", "(a|a?)+b"]) {
      expect(select(`$[?match(@, '${pattern}')]`, evil)).toEqual([])
    }
  })

  test("for a pattern counts the characters examined, at a higher cost than a comparison", () => {
    const document = JSON.stringify(Array.from({ length: 100 }, () => "x".repeat(1_000)))
    expect(select("$[?@ == 'y']", document, new WalkBudget(100_000))).toEqual([])
    expect(isTooLarge(() => select("$[?search(@, '[a-c]+d?y')]", document, new WalkBudget(100_000)))).toBe(
      true,
    )
  })

  test("for a pattern on one text has a separate limit, however large the budget is", () => {
    const ofLength = (length: number) => select("$[?match(@, 'b')]", `["${"a".repeat(length)}"]`)
    const pattern = Pattern.compile("b")
    const most = typeof pattern === "string" ? 0 : Math.floor(2_000_000 / pattern.stepsPerCharacter)
    expect(ofLength(most - 1)).toEqual([])
    expect(isTooLarge(() => ofLength(most + 1))).toBe(true)
  })

  test("for patterns in the document is bounded too", () => {
    const patterns = (list: readonly string[]) =>
      JSON.stringify(list.map((pattern) => ({ pattern, text: "a" })))
    const distinct = Array.from({ length: 33 }, (_, index) => `a{${index + 1}}`)
    expect(select("$[?match(@.text, @.pattern)]", patterns(distinct.slice(0, 32)))).toEqual(["$[0]"])
    expect(isTooLarge(() => select("$[?match(@.text, @.pattern)]", patterns(distinct)))).toBe(true)
    expect(isTooLarge(() => select("$[?match(@.text, @.pattern)]", patterns(["a{1000}"])))).toBe(true)
    expect(isTooLarge(() => select("$[?match(@.text, @.pattern)]", patterns(["a".repeat(129)])))).toBe(true)
  })

  test("is not spent on an invalid pattern in the document", () => {
    expect(
      select("$[?match(@.text, @.pattern)]", '[{"text":"(","pattern":"("},{"text":"a","pattern":7}]'),
    ).toEqual([])
  })
})
