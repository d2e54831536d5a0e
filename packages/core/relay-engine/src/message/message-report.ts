import type { Operation, Operations } from "../operations/compile-operations.ts"
import type { SelectionType } from "../operations/selection.ts"

type Direction = "request" | "response"

/** What one selection of a route did with one message. */
export interface SelectionActivity {
  readonly direction: Direction
  readonly action: "encrypt" | "decrypt"
  readonly type: SelectionType
  readonly selector: string
  /** How many values it selected. */
  readonly matched: number
  /** How many of them changed: `encrypt` leaves tokens alone, and `decrypt` other values. */
  readonly changed: number
}

/** A card number in an unselected field. */
export interface Leak {
  readonly direction: Direction
  /** The place: a path of the body, or `?` and the name of a query parameter. Never the value. */
  readonly path: string
}

const NO_VALUES: ReadonlyMap<string, number> = new Map()

interface Count {
  matched: number
  changed: number
}

/** What was found in a message, and what was done with it; no values. */
export class MessageReport {
  readonly leaks: Leak[] = []
  /** The messages whose body passed only because the relay passes types that it does not describe. */
  readonly tolerated: Direction[] = []
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

  /** How many values were encrypted, by the slug of their data role; by `""` those without a role. */
  get encrypted(): ReadonlyMap<string, number> {
    if (!this.#operations.encrypts) return NO_VALUES
    const byRole = new Map<string, number>()
    for (const { index, action, selection } of this.#operations.list) {
      const changed = this.#counts[index]?.changed ?? 0
      if (action !== "encrypt" || changed === 0) continue
      const role = selection.role ?? ""
      byRole.set(role, (byRole.get(role) ?? 0) + changed)
    }
    return byRole
  }

  tolerate(direction: Direction): void {
    this.tolerated.push(direction)
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
