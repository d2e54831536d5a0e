import type { BinRow } from "./bin-row.ts"

/** Ranges of card numbers and what is known of them, which a team has brought. */
export interface BinTable {
  readonly id: string
  readonly teamId: string
  readonly name: string
  /** `importing`: takes rows. `complete`: was activated once, and does not change any more. */
  readonly status: "importing" | "complete"
  /** How many rows it has. */
  readonly rows: number
  /** The last row, and those whose ranges go on beyond its start. */
  readonly last: Pick<BinRow, "from"> | null
  readonly open: readonly BinRow[]
  /** The hash of the rows that are being written; null when none are. */
  readonly writing: string | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
  /** Raised by each change. */
  readonly revision: number
}

/** Which of a team's tables serves. */
export interface ActiveBinTable {
  readonly teamId: string
  /** Null: it was deleted, or there was none. */
  readonly active: string | null
  /** The table that served before. */
  readonly previous: string | null
  /** Epoch milliseconds. */
  readonly changedAt: number
  readonly revision: number
}
