import type { Work } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import type { Tree } from "../tree/tree.ts"
import type { WalkBudget } from "../tree/walk-budget.ts"
import { type FilterValue, FilterValues } from "./filter-values.ts"
import type { Comparable, Query, Test } from "./json-path.ts"
import { Pattern } from "./pattern.ts"

/** How many different patterns a body may contain: `match(@.a, $.pattern)` compiles what it finds. */
const MAX_PATTERNS = 32

/**
 * The limit for a pattern on one text, which is not interrupted: about 20 ms, and 200 ms for the worst pattern on the
 * worst text.
 */
const MAX_STEPS_PER_TEST = 2_000_000

/** Finds the nodes of a query inside a filter, starting at a node. */
export type SelectNested = (query: Query, from: number) => Work<readonly number[]>

/**
 * Tests nodes of one body with filters (RFC 9535, section 2.3.5). Recursive as far as the filter is nested, which its
 * length bounds.
 */
export class Filter {
  readonly #values: FilterValues
  readonly #budget: WalkBudget
  readonly #select: SelectNested
  /** Nodes of queries from the root: the same for every tested node. */
  readonly #absolute = new Map<Query, readonly number[]>()
  readonly #patterns = new Map<string, Pattern | null>()

  constructor(tree: Tree, budget: WalkBudget, select: SelectNested) {
    this.#values = new FilterValues(tree, budget)
    this.#budget = budget
    this.#select = select
  }

  *passes(test: Test, node: number): Work<boolean> {
    switch (test.kind) {
      case "and":
        return (yield* this.passes(test.left, node)) && (yield* this.passes(test.right, node))
      case "or":
        return (yield* this.passes(test.left, node)) || (yield* this.passes(test.right, node))
      case "not":
        return !(yield* this.passes(test.test, node))
      case "exists":
        return (yield* this.#nodesOf(test.query, node)).length > 0
      case "compare":
        return yield* this.#values.holds(
          test.operator,
          yield* this.#valuesOf(test.left, node),
          yield* this.#valuesOf(test.right, node),
        )
      case "pattern": {
        const texts = yield* this.#valuesOf(test.text, node)
        for (const pattern of yield* this.#valuesOf(test.pattern, node)) {
          for (const text of texts) {
            if (this.#budget.isTurnDue()) yield
            if (this.#matches(text, pattern, test.whole)) return true
          }
        }
        return false
      }
    }
  }

  /** No values are the RFC's `Nothing`; there are several only if a name occurs twice in an object. */
  *#valuesOf(comparable: Comparable, node: number): Work<readonly FilterValue[]> {
    switch (comparable.kind) {
      case "literal":
        return [comparable.value]
      case "query":
        return yield* this.#read(yield* this.#nodesOf(comparable.query, node))
      case "length": {
        const lengths: number[] = []
        for (const value of yield* this.#valuesOf(comparable.argument, node)) {
          const length = yield* this.#values.length(value)
          if (length !== null) lengths.push(length)
        }
        return lengths
      }
      case "count":
        return [(yield* this.#nodesOf(comparable.query, node)).length]
      case "value": {
        const nodes = yield* this.#nodesOf(comparable.query, node)
        return nodes.length === 1 ? yield* this.#read(nodes) : []
      }
    }
  }

  *#read(nodes: readonly number[]): Work<readonly FilterValue[]> {
    const values: FilterValue[] = []
    for (const node of nodes) {
      if (this.#budget.isTurnDue()) yield
      values.push(this.#values.read(node))
    }
    return values
  }

  *#nodesOf(query: Query, node: number): Work<readonly number[]> {
    if (!query.absolute) return yield* this.#select(query, node)
    let nodes = this.#absolute.get(query)
    if (nodes === undefined) {
      nodes = yield* this.#select(query, 0)
      this.#absolute.set(query, nodes)
    }
    return nodes
  }

  #matches(text: FilterValue, source: FilterValue, whole: boolean): boolean {
    if (typeof text !== "string" || typeof source !== "string") return false
    const pattern = this.#pattern(source)
    if (pattern === null) return false
    const steps = Math.ceil((text.length + 1) * pattern.stepsPerCharacter)
    if (steps > MAX_STEPS_PER_TEST) {
      throw new UnreadableBodyError("too-large", "A string is too large to match against a filter's pattern.")
    }
    this.#budget.spend(steps)
    return pattern.test(text, whole)
  }

  /** Returns null for an invalid pattern, which matches nothing (RFC 9535, section 2.4.6). */
  #pattern(source: string): Pattern | null {
    const known = this.#patterns.get(source)
    if (known !== undefined) return known
    const compiled = this.#patterns.size < MAX_PATTERNS ? Pattern.compile(source) : "too-large"
    if (compiled === "too-large") {
      throw new UnreadableBodyError(
        "too-large",
        "The body contains too many patterns, or too large ones, for a filter.",
      )
    }
    const pattern = compiled === "invalid" ? null : compiled
    this.#patterns.set(source, pattern)
    return pattern
  }
}
