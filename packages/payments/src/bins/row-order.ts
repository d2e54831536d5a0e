import { type BinRow, highestOf, lowestOf } from "./bin-row.ts"

/** Where a table's rows have come to: all that deciding over the next row needs. */
export interface RowCursor {
  /** The last row; null before the first. */
  readonly last: Pick<BinRow, "from"> | null
  /** Rows whose ranges go on beyond the last row's start: of each length one at most. */
  readonly open: readonly BinRow[]
}

export const FIRST_ROW: RowCursor = { last: null, open: [] }

/**
 * Compares rows for the order in which a table takes them: by their lowest number, and of those with the same one the
 * shorter range first.
 */
export function compareRows(left: Pick<BinRow, "from">, right: Pick<BinRow, "from">): number {
  return lowestOf(left.from) - lowestOf(right.from) || left.from.length - right.from.length
}

/** Why a row cannot follow: a sentence. Null: it can. */
export function refuseRow({ last, open }: RowCursor, row: BinRow): string | null {
  if (last !== null && compareRows(last, row) > 0) {
    return "Rows must be sorted by `from`; of rows that begin alike, the shorter one first."
  }
  const start = lowestOf(row.from)
  const isTaken = open.some(({ from, to }) => from.length === row.from.length && highestOf(to) >= start)
  return isTaken ? "The range overlaps one of the same length." : null
}

/** The cursor after a row that may follow. */
export function passRow({ open }: RowCursor, row: BinRow): RowCursor {
  return { last: row, open: [...openAt(open, row), row] }
}

/** Rows of earlier ones whose ranges hold the lowest number of a row. */
export function openAt(open: readonly BinRow[], { from }: BinRow): readonly BinRow[] {
  const start = lowestOf(from)
  return open.filter(({ to }) => highestOf(to) >= start)
}
