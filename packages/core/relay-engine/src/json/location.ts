import { NONE, type Tree } from "../tree/tree.ts"

const MAX_PATH_LENGTH = 1024

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["'", "\\'"],
  ["\\", "\\\\"],
])

/**
 * Returns the names and indexes on the way from the root to a node. Visits all earlier siblings of each node on the
 * way, so use it only for the few nodes shown to people.
 *
 * @param tree one whose nodes are numbered in document order
 */
export function locationOf(tree: Tree, node: number): readonly (string | number)[] {
  const steps: (string | number)[] = []
  let ancestor = 0
  while (ancestor !== node) {
    let index = 0
    let child = tree.firstChild(ancestor)
    for (let next = tree.nextSibling(child); next !== NONE && next <= node; next = tree.nextSibling(child)) {
      child = next
      index++
    }
    steps.push(tree.kind(ancestor) === "array" ? index : tree.name(child))
    ancestor = child
  }
  return steps
}

/**
 * Returns a node's normalized path (RFC 9535, section 2.7), such as `$['patients'][0]['name']`. One longer than 1,024
 * characters is truncated and ends in `…`: names come from the body. See `locationOf` for its cost.
 */
export function normalizedPath(tree: Tree, node: number): string {
  let path = "$"
  for (const step of locationOf(tree, node)) {
    path += typeof step === "number" ? `[${step}]` : `['${escapeName(step)}']`
    if (path.length > MAX_PATH_LENGTH) return `${path.slice(0, MAX_PATH_LENGTH).toWellFormed()}…`
  }
  return path
}

function escapeName(name: string): string {
  return (
    name
      .slice(0, MAX_PATH_LENGTH)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
      .replace(/[\u0000-\u001f'\\]|[\ud800-\udfff]/gu, (character) => {
        return SHORT_ESCAPES.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
      })
  )
}
