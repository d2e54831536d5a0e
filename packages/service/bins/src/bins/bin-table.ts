import type { BinRow } from "./bin-row.ts"

/** Ranges of card numbers and data about them, imported by a team. */
export interface BinTable {
  readonly id: string
  readonly teamId: string
  readonly name: string
  /** `importing`: accepts rows. `complete`: was activated once, and no longer changes. */
  readonly status: "importing" | "complete"
  /** The number of its rows. */
  readonly rows: number
  /** The last row, and those whose ranges extend past its start. */
  readonly last: Pick<BinRow, "from"> | null
  readonly open: readonly BinRow[]
  /** The hash of the rows being written; null when there are none. */
  readonly writing: string | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
  /** Incremented by each change. */
  readonly revision: number
}

/** Which of a team's tables is active. */
export interface ActiveBinTable {
  readonly teamId: string
  /** Null: it was deleted, or there was none. */
  readonly active: string | null
  /** The previously active table. */
  readonly previous: string | null
  /** Epoch milliseconds. */
  readonly changedAt: number
  readonly revision: number
}
