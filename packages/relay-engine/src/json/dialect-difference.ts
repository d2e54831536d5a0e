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
 * Names that jsonpath-plus takes for names. It takes `['..']` for descent and `['(x)']` for a program, as often as they
 * are written, so that a selector which is bounded here is not there.
 */
const PLAIN_NAME = /^[\p{L}\p{N}_ -]+$/u

/** Names that it leaves out of the pointers it gives. */
const LEFT_OUT = /^(?:~|\^|@.*\(\))$/

/**
 * Whether a selector selects other nodes of a sample in the dialect of jsonpath-plus, which many services use and their
 * users know. For trying selectors out, not for traffic. Filters are programs there: they are not run.
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

/** JSON Pointers (RFC 6901); null when they cannot be compared: for names, or since it takes too much work, as it then would in any dialect. */
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

/** Null when it does not understand the selector. */
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
    // It throws errors of many kinds, whose one meaning is that the selector says nothing to it.
    return null
  } finally {
    // It keeps every selector it has seen.
    JSONPath.clearCache()
  }
}
