import type { Segment } from "../jsonpath/json-path.ts"
import { partsOfName, segmentsAlong } from "../jsonpath/name-paths.ts"
import { foldMemberName } from "../tree/name-readings.ts"

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
   */
  takenFor(name: string, isCaseSensitive: boolean): string | null {
    const isNamed = isCaseSensitive ? (part: string, wanted: string) => part === wanted : undefined
    // PHP and Spring drop these around a name.
    const parts = partsOfName(name.replace(/^[!?\s\0]+/, ""))
    for (const part of parts) {
      for (const { selector, segments } of this.#byLastName.get(foldMemberName(part)) ?? []) {
        // Whatever is in front may be the name of what it is bound to.
        const isTaken = parts.some((_, start) =>
          segmentsAlong(parts.slice(start), segments, isNamed).has(segments.length),
        )
        if (isTaken) return selector
      }
    }
    return null
  }
}
