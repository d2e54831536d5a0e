import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { NONE } from "../tree/tree.ts"
import type { JsonTree } from "./json-tree.ts"
import { locationOf, normalizedPath } from "./location.ts"
import { readJsonTree } from "./read-json-tree.ts"

const treeOf = (text: string) => readJsonTree(Buffer.from(text))

/** Builds what `JSON.parse` would return, from the tree alone. */
function readValue(tree: JsonTree, node: number): unknown {
  const kind = tree.kind(node)
  if (kind !== "object" && kind !== "array") return tree.scalar(node)
  const members: [string, unknown][] = []
  for (let child = tree.firstChild(node); child !== NONE; child = tree.nextSibling(child)) {
    members.push([tree.name(child), readValue(tree, child)])
  }
  return kind === "array" ? members.map(([, value]) => value) : Object.fromEntries(members)
}

describe("a JSON tree", () => {
  test("equals what JSON.parse returns, with any white space in between", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom("", " ", "\n\t", "\r\n  "), (json, space) => {
        const value: unknown = JSON.parse(json)
        const text = JSON.stringify(value, null, space) ?? json
        expect(readValue(treeOf(text), 0)).toEqual(value)
      }),
    )
  })

  test("has both fields of a duplicate name, in order", () => {
    const tree = treeOf('{"a":1,"b":2,"\\u0061":3}')
    const [first, second, third] = [1, 2, 3]
    expect([first, second, third].map((node) => tree.compareName(node, "a"))).toEqual([
      "same",
      "other",
      "same",
    ])
    expect(tree.name(third)).toBe("a")
  })

  test.each(["a", "ab", "abc", "", "é", "😀", '"', "\\", "__proto__", "constructor", 'a\\b"c'])(
    "distinguishes the name %j from those that start like it",
    (name) => {
      const tree = treeOf(JSON.stringify({ [`${name}x`]: 0, [name]: 1 }))
      const isFirst = Object.keys({ [`${name}x`]: 0, [name]: 1 })[0] === name
      expect(tree.compareName(isFirst ? 1 : 2, name)).toBe("same")
      expect(tree.compareName(isFirst ? 2 : 1, name)).not.toBe("same")
    },
  )

  test("distinguishes a name from the surrounding bytes", () => {
    const tree = treeOf('{"a":"x"}')
    expect([tree.compareName(1, 'a":"x'), tree.compareName(1, 'a"'), tree.compareName(1, "a")]).toEqual([
      "unsure",
      "unsure",
      "same",
    ])
  })

  test("has no name for array elements and the root", () => {
    const tree = treeOf("[1]")
    expect([tree.compareName(0, ""), tree.compareName(1, "")]).toEqual(["other", "other"])
  })
})

describe("a normalized path", () => {
  test("names the fields and counts the elements on the way", () => {
    const tree = treeOf('{"patients":[{"name":"x"},[],{"a":0,"it\'s \\\\ \\n\\u0001":[[7]]}]}')
    const last = tree.size - 1
    expect(normalizedPath(tree, last)).toBe("$['patients'][2]['it\\'s \\\\ \\n\\u0001'][0][0]")
    expect(locationOf(tree, last)).toEqual(["patients", 2, "it's \\ \n\u0001", 0, 0])
    expect(normalizedPath(tree, 0)).toBe("$")
  })

  test("is truncated when names make it long", () => {
    const path = normalizedPath(treeOf(`{"${"n".repeat(100_000)}":7}`), 1)
    expect(path).toHaveLength(1025)
    expect(path.endsWith("…")).toBe(true)
  })
})
