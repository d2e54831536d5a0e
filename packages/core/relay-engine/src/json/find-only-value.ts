import type { Work } from "@sealway/kernel"
import type { LocatedValue } from "../body/located-body.ts"
import type { JsonPath } from "../jsonpath/json-path.ts"
import { NodeWalk } from "../jsonpath/select-nodes.ts"
import type { WalkBudget } from "../tree/walk-budget.ts"
import type { JsonTree } from "./json-tree.ts"

const ROOT = 0
const NO_SELECTORS: readonly number[] = []

/**
 * Finds the value that a selector selects, if every parser finds the same one there: each segment of the selector selects
 * exactly one node, and no other field has a name that some parser could mistake for the selected one's.
 *
 * @param caseSensitiveNames see `RelayOptions`
 * @returns null otherwise, and for a container or null
 * @throws UnreadableBodyError `too-large` when the budget is spent
 */
export function* findOnlyValue(
  tree: JsonTree,
  { segments }: JsonPath,
  caseSensitiveNames: boolean,
  budget: WalkBudget,
): Work<LocatedValue | null> {
  const walk = new NodeWalk(tree, budget, caseSensitiveNames ? "exact" : "watched")
  let node = ROOT
  for (const segment of segments) {
    const nodes = yield* walk.select([segment], node)
    const [next] = nodes
    if (next === undefined || nodes.length > 1) return null
    node = next
  }
  return walk.misreadings.size > 0 || !tree.isValue(node) ? null : tree.locate(node, NO_SELECTORS)
}
