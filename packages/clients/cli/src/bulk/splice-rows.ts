import { copyBytes } from "./byte-string.ts"
import type { TableRows } from "./table-row.ts"

/** Replacement bytes: the bytes `[start, end)` of `bytes`, by value. */
export interface Replacements {
  readonly bytes: Buffer
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/**
 * Returns the rows `[from, to)` with their selected values replaced. All other bytes stay.
 *
 * @param others by value: a different replacement
 */
export function spliceRows(
  { bytes, ends: rowEnds, valueCounts, spanStarts, spanEnds }: TableRows,
  from: number,
  to: number,
  { bytes: source, starts, ends }: Replacements,
  others: ReadonlyMap<number, Buffer>,
): Buffer {
  const start = rowEnds[from - 1] ?? 0
  const end = rowEnds[to - 1] ?? 0
  const first = valueCounts[from - 1] ?? 0
  const last = valueCounts[to - 1] ?? 0
  const has = others.size > 0
  let size = end - start
  for (let value = first; value < last; value++) {
    const other = has ? others.get(value) : undefined
    size +=
      (other?.length ?? at(ends, value) - at(starts, value)) - (at(spanEnds, value) - at(spanStarts, value))
  }
  const output = Buffer.allocUnsafeSlow(size)
  let read = start
  let written = 0
  for (let value = first; value < last; value++) {
    written = copyBytes(bytes, read, at(spanStarts, value), output, written)
    const other = has ? others.get(value) : undefined
    written =
      other === undefined
        ? copyBytes(source, at(starts, value), at(ends, value), output, written)
        : copyBytes(other, 0, other.length, output, written)
    read = at(spanEnds, value)
  }
  copyBytes(bytes, read, end, output, written)
  return output
}

function at(places: readonly number[], index: number): number {
  return places[index] ?? 0
}
