import { EncryptedNames } from "../form/encrypted-names.ts"
import type { OperationGroup } from "../operations/compile-operations.ts"
import { locateQuery, queryText, writeQueryValue } from "../query/locate-query.ts"
import { type LooseParameter, unselectedParameters } from "../query/unselected-parameters.ts"
import { operationsOf, textUnlessLeftAlone } from "./selected-text.ts"
import type { ValueChanges, ValueWriter } from "./value-changes.ts"

/** A request's target, and the selected values of its query. */
export interface SelectedQuery {
  /** The target without them. */
  readonly rest: string
  /** Yields all parameters but those. */
  unselected(): Iterable<LooseParameter>
  /** Adds them to the changes. */
  addTo(changes: ValueChanges): void
  /** Returns the target with the new values. */
  target(): string
}

/**
 * Finds the selected parameters of a target's query. All bytes except their values stay unchanged.
 *
 * @throws UnreadableBodyError see `locateQuery`
 */
export function selectQuery(
  target: string,
  group: OperationGroup<string>,
  isCaseSensitive: boolean,
): SelectedQuery {
  if (group.operations.length === 0) {
    const unselected = () => unselectedParameters(target, [])
    return { rest: target, unselected, addTo() {}, target: () => target }
  }
  const encrypted = new EncryptedNames(
    group.selectors.filter((_, index) => group.encrypting.has(index)),
    { isCaseSensitive },
  )
  const places = locateQuery(target, group.selectors, { encrypted })
  const values: string[] = places.map(({ start, end }) => target.slice(start, end))
  const withValues = (valueAt: (index: number) => string) => {
    let text = ""
    let from = 0
    for (const [index, { start, end }] of places.entries()) {
      text += target.slice(from, start) + valueAt(index)
      from = end
    }
    return text + target.slice(from)
  }
  const writer: ValueWriter = {
    write(index, _, written) {
      values[index] = writeQueryValue(written)
      return null
    },
  }
  return {
    rest: withValues(() => ""),
    unselected: () => unselectedParameters(target, places),
    addTo(changes) {
      for (const [index, place] of places.entries()) {
        const operations = operationsOf(group, place.selectors)
        const text = textUnlessLeftAlone(operations, () => queryText(target, place))
        if (text !== null) changes.add({ type: "string", text, operations, writer, index })
      }
    },
    target: () => withValues((index) => values[index] ?? ""),
  }
}
