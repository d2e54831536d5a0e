import { jsonPointer } from "@sealway/kernel"
import { JSONPath } from "jsonpath-plus"
import { UnreadableBodyError } from "../body/located-body.ts"
import type { JsonPath, Segment, Selector } from "../jsonpath/json-path.ts"
import { selectNodes } from "../jsonpath/select-nodes.ts"
import { WalkBudget } from "../tree/walk-budget.ts"
import { locationOf } from "./location.ts"
import { readJsonTree } from "./read-json-tree.ts"

/** `not-compared`: the selector has a filter or an unusual name, the sample has unusual names or is too large. */
export type DialectDifference = "same" | "different" | "not-compared"

const MAX_SAMPLE_BYTES = 100_000
const MAX_STEPS = 20_000
const MAX_NODES = 1_000

/**
 * Names that jsonpath-plus reads as names. It reads `['..']` as descent and `['(x)']` as a program, however often they
 * occur, so a selector that is bounded here is not bounded there.
 */
const PLAIN_NAME = /^[\p{L}\p{N}_ -]+$/u

/** Names that it omits from its pointers. */
const LEFT_OUT = /^(?:~|\^|@.*\(\))$/

/**
 * Compares the nodes that a selector selects in a sample with those in the dialect of jsonpath-plus, which many
 * services use and their users know. For trying selectors, not for traffic. In that dialect filters are programs: they
 * are not executed.
 *
 * @param sample JSON
 * @throws UnreadableBodyError `malformed`
 */
export function compareWithCommonDialect(path: JsonPath, sample: Buffer): DialectDifference {
  if (sample.length > MAX_SAMPLE_BYTES || !path.segments.every(isPlain)) return "not-compared"
  const ours = ownPointers(path, sample)
  if (ours === null) return "not-compared"
  const theirs = commonPointers(path.selector, JSON.parse(new TextDecoder().decode(sample)))
  if (theirs === null || theirs.size !== ours.size) return "different"
  return [...ours].every((pointer) => theirs.has(pointer)) ? "same" : "different"
}

function isPlain({ selectors }: Segment): boolean {
  return selectors.every(
    (selector: Selector) =>
      selector.kind !== "filter" && (selector.kind !== "name" || PLAIN_NAME.test(selector.name)),
  )
}

/**
 * Returns JSON Pointers (RFC 6901); null when they cannot be compared, because of names or too much work, which any
 * dialect would then need.
 */
function ownPointers(path: JsonPath, sample: Buffer): ReadonlySet<string> | null {
  try {
    const tree = readJsonTree(sample)
    for (let node = 0; node < tree.size; node++) {
      if (LEFT_OUT.test(tree.name(node))) return null
    }
    const nodes = selectNodes(path, tree, new WalkBudget(MAX_STEPS))
    if (nodes.length > MAX_NODES) return null
    return new Set(nodes.map((node) => jsonPointer(locationOf(tree, node))))
  } catch (error) {
    if (error instanceof UnreadableBodyError && error.reason === "too-large") return null
    throw error
  }
}

/** Returns null when it does not understand the selector. */
function commonPointers(selector: string, sample: unknown): ReadonlySet<string> | null {
  if (typeof sample !== "object" || sample === null) return null
  try {
    const pointers: unknown = JSONPath({
      path: selector,
      json: sample,
      resultType: "pointer",
      eval: false,
      wrap: true,
    })
    return new Set(Array.isArray(pointers) ? pointers : [])
  } catch {
    // It throws many kinds of errors that all mean it does not understand the selector.
    return null
  } finally {
    // It caches every selector it has seen.
    JSONPath.clearCache()
  }
}
