import { UnreadableBodyError } from "../located-body.ts"
import type { Tree } from "../tree.ts"
import type { WalkBudget } from "../walk-budget.ts"
import { type FilterValue, FilterValues } from "./filter-values.ts"
import type { Comparable, Query, Test } from "./json-path.ts"
import { Pattern } from "./pattern.ts"

/** Different patterns that a body may bring: `match(@.a, $.pattern)` compiles what it finds. */
const MAX_PATTERNS = 32

/** Finds the nodes of a query inside a filter, from a node. */
export type SelectNested = (query: Query, from: number) => readonly number[]

/** Tests nodes of one body by filters (RFC 9535, section 2.3.5). Recursive as the filter is nested, which its length bounds. */
export class Filter {
  readonly #values: FilterValues
  readonly #budget: WalkBudget
  readonly #select: SelectNested
  /** Nodes of queries from the root: the same for every node that is tested. */
  readonly #absolute = new Map<Query, readonly number[]>()
  readonly #patterns = new Map<string, Pattern | null>()

  constructor(tree: Tree, budget: WalkBudget, select: SelectNested) {
    this.#values = new FilterValues(tree, budget)
    this.#budget = budget
    this.#select = select
  }

  passes(test: Test, node: number): boolean {
    switch (test.kind) {
      case "and":
        return this.passes(test.left, node) && this.passes(test.right, node)
      case "or":
        return this.passes(test.left, node) || this.passes(test.right, node)
      case "not":
        return !this.passes(test.test, node)
      case "exists":
        return this.#nodesOf(test.query, node).length > 0
      case "compare":
        return this.#values.holds(
          test.operator,
          this.#valuesOf(test.left, node),
          this.#valuesOf(test.right, node),
        )
      case "pattern":
        return this.#valuesOf(test.pattern, node).some((pattern) =>
          this.#valuesOf(test.text, node).some((text) => this.#matches(text, pattern, test.whole)),
        )
    }
  }

  /** None is the RFC's `Nothing`; several only where names stand twice in an object. */
  #valuesOf(comparable: Comparable, node: number): readonly FilterValue[] {
    switch (comparable.kind) {
      case "literal":
        return [comparable.value]
      case "query":
        return this.#nodesOf(comparable.query, node).map((found) => this.#values.read(found))
      case "length":
        return this.#valuesOf(comparable.of, node)
          .map((value) => this.#values.length(value))
          .filter((length) => length !== null)
      case "count":
        return [this.#nodesOf(comparable.query, node).length]
      case "value": {
        const nodes = this.#nodesOf(comparable.query, node)
        return nodes.length === 1 ? nodes.map((found) => this.#values.read(found)) : []
      }
    }
  }

  #nodesOf(query: Query, node: number): readonly number[] {
    if (!query.absolute) return this.#select(query, node)
    let nodes = this.#absolute.get(query)
    if (nodes === undefined) {
      nodes = this.#select(query, 0)
      this.#absolute.set(query, nodes)
    }
    return nodes
  }

  #matches(text: FilterValue, source: FilterValue, whole: boolean): boolean {
    if (typeof text !== "string" || typeof source !== "string") return false
    const pattern = this.#pattern(source)
    if (pattern === null) return false
    this.#budget.spend(Math.ceil((text.length + 1) * pattern.stepsPerCharacter))
    return pattern.test(text, whole)
  }

  /** Null for what is not a pattern, which matches nothing (RFC 9535, section 2.4.6). */
  #pattern(source: string): Pattern | null {
    const known = this.#patterns.get(source)
    if (known !== undefined) return known
    const compiled = this.#patterns.size < MAX_PATTERNS ? Pattern.compile(source) : "too-large"
    if (compiled === "too-large") {
      throw new UnreadableBodyError(
        "too-large",
        "The body holds too many, or too large, patterns for a filter.",
      )
    }
    const pattern = compiled === "invalid" ? null : compiled
    this.#patterns.set(source, pattern)
    return pattern
  }
}
