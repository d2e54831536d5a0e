import type { GraphqlSelection, Segment } from "./json-path.ts"

/** Returns what a selector selects of GraphQL variables; null for none. */
export function graphqlSelection(segments: readonly Segment[]): GraphqlSelection | null {
  const at = segments.findIndex((segment) => !segment.descendant && namesOf(segment).includes("variables"))
  if (at === -1) return null
  const below = segments.slice(at + 1)
  const [first] = below
  const besides = (name: string): readonly Segment[] => [
    ...segments.slice(0, at),
    { descendant: false, selectors: [{ kind: "name", name }] },
  ]
  const named = below.filter((segment) => namesOf(segment).length > 0)
  return {
    query: besides("query"),
    holder: first === undefined ? null : besides("variables"),
    variables:
      first === undefined || first.descendant || namesOf(first).length === 0 ? null : new Set(namesOf(first)),
    names: named.length === 0 ? null : new Set(named.flatMap(namesOf)),
    last: new Set(named.slice(-1).flatMap(namesOf)),
  }
}

function namesOf({ selectors }: Segment): readonly string[] {
  return selectors.flatMap((selector) => (selector.kind === "name" ? [selector.name] : []))
}
