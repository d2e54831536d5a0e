import { decodePercentLoosely } from "../form/percent-encoding.ts"
import type { QueryPlace } from "./locate-query.ts"

/** A leniently parsed query parameter. */
export interface LooseParameter {
  readonly name: string
  readonly value: Buffer
}

const QUESTION = "?"

/**
 * Yields the unselected parameters of a target's query, for inspection only, never for writing. A part without `=` is a
 * value without a name.
 *
 * @param selected in order
 */
export function* unselectedParameters(
  target: string,
  selected: readonly QueryPlace[],
): Generator<LooseParameter, void, void> {
  let next = 0
  for (let start = target.indexOf(QUESTION) + 1; start > 0 && start < target.length; ) {
    const ampersand = target.indexOf("&", start)
    const end = ampersand === -1 ? target.length : ampersand
    while ((selected[next]?.end ?? end) < start) next++
    const isSelected = (selected[next]?.start ?? end + 1) <= end
    if (!isSelected) {
      const equals = target.indexOf("=", start)
      const valueAt = equals === -1 || equals >= end ? start : equals + 1
      yield {
        name: loose(target.slice(start, Math.max(start, valueAt - 1))).toString("utf8"),
        value: loose(target.slice(valueAt, end)),
      }
    }
    start = end + 1
  }
}

function loose(text: string): Buffer {
  return decodePercentLoosely(Buffer.from(text, "latin1"))
}
