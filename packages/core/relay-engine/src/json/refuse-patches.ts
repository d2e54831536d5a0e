import { Pace, type Work } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import { NONE } from "../tree/tree.ts"
import type { WalkBudget } from "../tree/walk-budget.ts"
import type { JsonTree } from "./json-tree.ts"
import type { SelectedLeaves } from "./selected-leaves.ts"

const NODES_PER_STEP = 4_096

/** A JSON body, and what may pass of it. */
export interface PatchedBody {
  readonly tree: JsonTree
  readonly leaves: SelectedLeaves
  readonly budget: WalkBudget
  /** The selectors that encrypt, by index. */
  readonly encrypting: ReadonlySet<number>
  /** Whether a selector chooses values of a patch, by a filter: one scalar that it does not choose passes. */
  readonly choosesPatchValues: boolean
}

/** The fields of an object that say what to do with another document. */
interface Instruction {
  hasOperation: boolean
  hasPath: boolean
  readonly values: number[]
}

/**
 * Refuses a value whose place in another document is said beside it, as selections for that document do not find it:
 *
 * | format | example |
 * |---|---|
 * | JSON Patch (RFC 6902), under any type and in any envelope | `{"op": "add", "path": "/card", "value": "4242"}` |
 * | SCIM (RFC 7644, section 3.5.2), which needs no path | `{"Operations": [{"op": "add", "value": {"card": "4242"}}]}` |
 *
 * @throws UnreadableBodyError when such a value is not encrypted
 */
export function* refusePatches(body: PatchedBody): Work<void> {
  const { tree, leaves, budget, encrypting, choosesPatchValues } = body
  const isNamed = (node: number, name: string) =>
    tree.compareName(node, name) !== "other" && tree.isNearlyNamed(node, name, budget)
  const pace = new Pace(NODES_PER_STEP)
  /** The end of the latest field `Operations`. */
  let operationsEnd = 0
  for (let node = 0; node < tree.size; node++) {
    if (pace.isDue()) yield
    if (isNamed(node, "operations")) operationsEnd = Math.max(operationsEnd, tree.subtreeEnd(node))
    if (tree.kind(node) !== "object") continue
    const found: Instruction = { hasOperation: false, hasPath: false, values: [] }
    for (let child = tree.firstChild(node); child !== NONE; child = tree.nextSibling(child)) {
      if (pace.isDue()) yield
      if (isNamed(child, "op")) found.hasOperation = true
      else if (isNamed(child, "path")) found.hasPath = true
      else if (isNamed(child, "value")) found.values.push(child)
    }
    if (!found.hasOperation || !(found.hasPath || node < operationsEnd)) continue
    for (const value of found.values) {
      if (choosesPatchValues && tree.firstChild(value) === NONE) continue
      if (!(yield* leaves.covers([value], encrypting))) throw unselected()
    }
  }
}

function unselected(): UnreadableBodyError {
  return new UnreadableBodyError(
    "malformed",
    "A JSON object says with `op` and `path` where in another document its `value` belongs, and selections for that document do not find it: select the value itself, or set caseSensitiveNames.",
  )
}
