import type { Work } from "@sealway/kernel"
import type { WalkBudget } from "./walk-budget.ts"

export type NodeKind = "object" | "array" | "string" | "number" | "boolean" | "null"

/** `unsure`: the names differ, and some parser may read one as the other. */
export type NameMatch = "same" | "other" | "unsure"

/** No node. */
export const NONE = -1

/**
 * A document in the form for JSONPath selectors: JSON, or the JSON view of XML. Nodes are numbers, 0 is the root, so a
 * document of megabytes costs a few integers per value.
 */
export interface Tree {
  /** Whether some reader takes one value for a list of it, or a list for its only element. */
  readonly mixesLists: boolean
  /** Whether there may be a field for which `mayBePath` is true. */
  readonly hasPaths: boolean
  kind(node: number): NodeKind
  /** `NONE` for a scalar and an empty container. Children are in document order, including duplicate names. */
  firstChild(node: number): number
  /** The next child of the same parent; `NONE` after the last. */
  nextSibling(node: number): number
  /** Compares the name of an object's field. Cheaper than comparing `name`. */
  compareName(node: number, name: string): NameMatch
  /**
   * Whether some parser reads the name of an object's field as another one: see `foldMemberName`.
   *
   * @param budget pays for the work
   */
  isNearlyNamed(node: number, name: string, budget: WalkBudget): boolean
  /** Whether some reader may take the name of an object's field for a path: `card.number`, `items[0]`. */
  mayBePath(node: number): boolean
  /**
   * Whether some parser counts the elements of an array differently: a position then means another element.
   *
   * @param isExact whether all parsers distinguish names that are not equal
   * @param budget pays for the work
   * @returns null when no parser does, for any document
   */
  isCountedOtherwise(array: number, isExact: boolean, budget: WalkBudget): Work<boolean> | null
  /** Returns a field's name, unescaped. */
  name(node: number): string
  /** Returns a scalar's value for filters. Numbers as doubles. */
  scalar(node: number): string | number | boolean | null
}
