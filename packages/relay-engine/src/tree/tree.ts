import type { Work } from "@sealway/kernel"
import type { WalkBudget } from "./walk-budget.ts"

export type NodeKind = "object" | "array" | "string" | "number" | "boolean" | "null"

/** `unsure`: the names differ, and some reader may take the one for the other. */
export type NameMatch = "same" | "other" | "unsure"

/** No node. */
export const NONE = -1

/**
 * A document as JSONPath selectors see it: JSON, or the JSON view of XML. Nodes are numbers, 0 is the root, so that a
 * document of megabytes costs a few integers a value.
 */
export interface Tree {
  kind(node: number): NodeKind
  /** `NONE` for a scalar and an empty container. Children are in document order, duplicate names included. */
  firstChild(node: number): number
  /** The next child of the same parent; `NONE` after the last. */
  nextSibling(node: number): number
  /** Whether a member of an object has a name. Cheaper than comparing `name`. */
  compareName(node: number, name: string): NameMatch
  /**
   * Whether some reader takes the name of a member of an object for another one: see `foldMemberName`.
   *
   * @param budget what it takes is spent from
   */
  isNearlyNamed(node: number, name: string, budget: WalkBudget): boolean
  /**
   * Whether some reader counts the elements of an array otherwise: a position means another element to it.
   *
   * @param isExact whether names that are not the same are different ones to all readers
   * @param budget what it takes is spent from
   * @returns null where no reader does, whatever the document
   */
  isCountedOtherwise(array: number, isExact: boolean, budget: WalkBudget): Work<boolean> | null
  /** A member's name, unescaped. */
  name(node: number): string
  /** A scalar's value, for filters. Numbers as doubles. */
  scalar(node: number): string | number | boolean | null
}
