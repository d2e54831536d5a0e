import { type BinRow, highestOf, lowestOf } from "./bin-row.ts"

/** The position after some rows of a table: everything needed to check the next row. */
export interface RowCursor {
  /** The last row; null before the first. */
  readonly last: Pick<BinRow, "from"> | null
  /** Rows whose ranges extend past the last row's start: at most one of each length. */
  readonly open: readonly BinRow[]
}

export const FIRST_ROW: RowCursor = { last: null, open: [] }

/**
 * Compares rows in the order in which a table accepts them: by their lowest number, and for the same number the shorter
 * range first.
 */
export function compareRows(left: Pick<BinRow, "from">, right: Pick<BinRow, "from">): number {
  return lowestOf(left.from) - lowestOf(right.from) || left.from.length - right.from.length
}

/** Returns a sentence that says why a row cannot follow; null when it can. */
export function refuseRow({ last, open }: RowCursor, row: BinRow): string | null {
  if (last !== null && compareRows(last, row) > 0) {
    return "Rows must be sorted by `from`. If one row's `from` is a prefix of another's, put the shorter one first."
  }
  const start = lowestOf(row.from)
  const isTaken = open.some(({ from, to }) => from.length === row.from.length && highestOf(to) >= start)
  return isTaken ? "The range overlaps another one of the same length." : null
}

/** Returns the cursor after a row that may follow. */
export function passRow({ open }: RowCursor, row: BinRow): RowCursor {
  return { last: row, open: [...openAt(open, row), row] }
}

/** Returns the earlier rows whose ranges include the lowest number of a row. */
export function openAt(open: readonly BinRow[], { from }: BinRow): readonly BinRow[] {
  const start = lowestOf(from)
  return open.filter(({ to }) => highestOf(to) >= start)
}
