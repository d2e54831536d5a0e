import type { Segment } from "../jsonpath/json-path.ts"
import { partsOfName, segmentsAlong } from "../jsonpath/name-paths.ts"
import { foldMemberName } from "../tree/name-readings.ts"
import type { WalkBudget } from "../tree/walk-budget.ts"

/** Comparing a part of a name with a selection takes as long as visiting this many nodes. */
const STEPS_PER_PART = 16

/** A selection of a body, as the path of names at which frameworks find its values among their parameters. */
export interface MergedSelection {
  readonly selector: string
  readonly segments: readonly Segment[]
}

/**
 * The names of query parameters that frameworks find where encrypted values of the body are: they merge both into one
 * object.
 *
 * | framework | reads as `card.number` of the body |
 * |---|---|
 * | Rails, Laravel, Express with `req.param` | `card[number]`, and `card` for all of it |
 * | Spring | `card.number`, any letter case |
 * | ASP.NET | the same, also with the name of what it is bound to in front: `order.card.number` |
 *
 * A selector without names, such as `$..*`, names no parameter.
 */
export class MergedNames {
  /** By the last name in each. */
  readonly #byLastName = new Map<string, MergedSelection[]>()

  constructor(selections: readonly MergedSelection[]) {
    for (const selection of selections) {
      const last = selection.segments.findLast(({ selectors }) =>
        selectors.some(({ kind }) => kind === "name"),
      )
      for (const selector of last?.selectors ?? []) {
        if (selector.kind !== "name") continue
        const name = foldMemberName(selector.name)
        const known = this.#byLastName.get(name)
        if (known === undefined) this.#byLastName.set(name, [selection])
        else known.push(selection)
      }
    }
  }

  get isEmpty(): boolean {
    return this.#byLastName.size === 0
  }

  /**
   * Returns the selector whose values a parameter could be read as; null for none.
   *
   * @param isCaseSensitive whether the destination distinguishes `Card` from `card`
   * @param budget share one between all parameters of a request
   * @throws UnreadableBodyError `too-large` when the budget is spent
   */
  takenFor(name: string, isCaseSensitive: boolean, budget: WalkBudget): string | null {
    const isNamed = isCaseSensitive ? (part: string, wanted: string) => part === wanted : undefined
    // PHP and Spring drop these around a name.
    const parts = partsOfName(name.replace(/^[!?\s\0]+/, ""))
    for (const part of new Set(parts.map(foldMemberName))) {
      for (const { selector, segments } of this.#byLastName.get(part) ?? []) {
        budget.spend(STEPS_PER_PART * parts.length)
        // Whatever is in front may be the name of what it is bound to.
        if (segmentsAlong(parts, segments, isNamed, true).has(segments.length)) return selector
      }
    }
    return null
  }
}
