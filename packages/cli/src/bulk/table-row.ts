import { MB } from "@sealway/kernel"
import type { ByteString } from "./byte-string.ts"

/** Why a row is left out of the output. Holds nothing of the row. */
export interface RowFailure {
  /** Of the service, or one of the table's own, see `ROW_PROBLEMS`. */
  readonly code: string
  readonly reason: string
  /** The column or selector of the value; null when the row as a whole is meant. */
  readonly name: string | null
}

/** What is wrong with rows that are never sent. Codes are public: add, never rename. */
export const ROW_PROBLEMS = {
  "malformed-row": "The row has more or fewer columns than the header, or is not quoted as CSV is.",
  "invalid-json": "The line is not valid JSON.",
  "not-utf-8": "The value is not UTF-8.",
  "row-too-large": "The row is larger than 16 MB, or has more than 100,000 values.",
  "broken-token": "The value begins with ev: and is no whole token.",
} as const satisfies Record<string, string>

export type RowProblem = keyof typeof ROW_PROBLEMS

export function rowFailure(code: RowProblem, name: string | null = null): RowFailure {
  return { code, reason: ROW_PROBLEMS[code], name }
}

/** A value of a row that another one takes the place of. */
export interface SelectedValue {
  /** The characters `[start, end)` of the row, quotes included. */
  readonly start: number
  readonly end: number
  /** The value as a JSON literal. */
  readonly literal: ByteString
  /** The column, or the selectors that select it: indexes into the table's `names`, one at least. */
  readonly nameIndexes: readonly number[]
}

/** A row of a table as it was read. */
export interface TableRow {
  /** From 1. The header is none. */
  readonly number: number
  /** All of it, the line break included; empty when it is too large to keep. */
  readonly bytes: ByteString
  /** Of the input, the line break included. */
  readonly sizeBytes: number
  /** In order. */
  readonly values: readonly SelectedValue[]
  /** Null: it can be sent. */
  readonly problem: RowFailure | null
}

/** Rows larger than this are not read. */
export const MAX_ROW_BYTES = 16 * MB
/** More values of one row are not sent. */
export const MAX_ROW_VALUES = 100_000

/** How a table is read and written. */
export interface TableFormat {
  /** Columns, or selectors. */
  readonly names: readonly string[]
  /** Whether a name that no row has a value for is a mistake. */
  readonly mustFindAll: boolean
  /** Written before the first row; the header of CSV. */
  readonly preamble: ByteString
  /**
   * Cuts bytes into rows, in order. Together, their bytes are all that was read.
   *
   * @param rowsBefore how many rows stand before the first chunk
   * @throws UnreadableTableError behind the last row whose end is known
   */
  readRows(chunks: AsyncIterable<Uint8Array>, rowsBefore: number): AsyncIterable<readonly TableRow[]>
  /** The row with other values in the place of those that were selected. */
  render(row: TableRow, literals: readonly ByteString[]): ByteString
}

/** Where rows end can no longer be told. The rows before were handed out. */
export class UnreadableTableError extends Error {
  override readonly name = "UnreadableTableError"
  readonly rowNumber: number
  /** @param reason a sentence that holds nothing of the input */
  constructor(rowNumber: number, reason: string) {
    super(reason)
    this.rowNumber = rowNumber
  }
}
