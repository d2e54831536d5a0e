import type { Leak, SelectionActivity } from "../../activity.ts"
import type { Operation, Operations } from "../compile-operations.ts"

interface Count {
  matched: number
  changed: number
}

/** What was found in a message, and what was done with it; no values. */
export class MessageReport {
  readonly leaks: Leak[] = []
  readonly #operations: Operations
  readonly #counts: readonly Count[]

  constructor(operations: Operations) {
    this.#operations = operations
    this.#counts = operations.list.map(() => ({ matched: 0, changed: 0 }))
  }

  get selections(): readonly SelectionActivity[] {
    return this.#operations.list.map(({ index, direction, action, selection: { type, selector } }) => {
      const { matched = 0, changed = 0 } = this.#counts[index] ?? {}
      return { direction, action, type, selector, matched, changed }
    })
  }

  countMatched({ index }: Operation): void {
    const count = this.#counts[index]
    if (count !== undefined) count.matched++
  }

  countChanged({ index }: Operation): void {
    const count = this.#counts[index]
    if (count !== undefined) count.changed++
  }
}
