import { MB } from "@sealway/kernel"
import type { ByteString } from "./byte-string.ts"
import type { ValuesDocument } from "./values-document.ts"

/** Why a row is left out of the output. Contains nothing of the row. */
export interface RowFailure {
  /** The service's code, or one of the table's own, see `ROW_PROBLEMS`. */
  readonly code: string
  readonly reason: string
  /** The column or selector of the value; null for the whole row. */
  readonly name: string | null
}

/** Problems of rows that are never sent. Codes are public: add, never rename. */
export const ROW_PROBLEMS = {
  "malformed-row": "The row has more or fewer columns than the header, or invalid CSV quoting.",
  "invalid-json": "The line is not valid JSON.",
  "not-utf-8": "The value is not UTF-8.",
  "row-too-large": "The row is larger than 16 MB, or has more than 100,000 values.",
  "broken-token": "The value begins with ev: but is not a complete token.",
} as const satisfies Record<string, string>

export type RowProblem = keyof typeof ROW_PROBLEMS

export function rowFailure(code: RowProblem, name: string | null = null): RowFailure {
  return { code, reason: ROW_PROBLEMS[code], name }
}

/**
 * Consecutive rows of a table as they were read. Facts about rows and values are in separate arrays, because millions
 * of small objects would cost more than all other work.
 */
export interface TableRows {
  /** The number of the first row, from 1, without the header. */
  readonly firstNumber: number
  /** The bytes of all rows, including line breaks. */
  readonly bytes: Buffer<ArrayBuffer>
  /** By row: its end in the bytes. */
  readonly ends: readonly number[]
  /** By row: the number of values up to and including it. */
  readonly valueCounts: readonly number[]
  /** The selected values, in order, as JSON. */
  readonly values: ValuesDocument
  /** By value: other bytes replace `[start, end)`. In CSV, without the quotes of a cell. */
  readonly spanStarts: readonly number[]
  readonly spanEnds: readonly number[]
  /** By value: the column, or the selectors that select it: indexes into the table's `names`, at least one. */
  readonly nameIndexes: readonly (readonly number[])[]
  /** By row index: why it cannot be sent. It has no values. */
  readonly problems: ReadonlyMap<number, RowFailure>
  /** The size of a row that is too large to keep. It is then the only one, and its bytes are empty. */
  readonly skippedBytes: number
}

/** Larger rows are not read. */
export const MAX_ROW_BYTES = 16 * MB
/** Rows with more values are not sent. */
export const MAX_ROW_VALUES = 100_000

/** The limits of one request. A row that exceeds them alone forms a batch of one. */
export interface BatchLimits {
  readonly maxRows: number
  readonly maxValues: number
  /** Counts the values that are sent, not the rows. */
  readonly maxValueBytes: number
  /** Counts the rows, which are kept until their values have come back. */
  readonly maxRowBytes: number
}

/** How a table is read and written. */
export interface TableFormat {
  /** Columns or selectors. */
  readonly names: readonly string[]
  /** Whether a name without any value is an error. */
  readonly mustFindAll: boolean
  /** Written before the first row: the header of CSV. */
  readonly preamble: ByteString
  /**
   * Splits bytes into rows, in order, grouped by request. Together, the groups contain everything that was read.
   *
   * @param rowsBefore how many rows precede the first chunk
   * @throws UnreadableTableError after the last row whose end is known
   */
  readRows(
    chunks: AsyncIterable<Uint8Array>,
    rowsBefore: number,
    limits: BatchLimits,
  ): AsyncIterable<TableRows>
  /** Returns the rows `[from, to)` with the selected values replaced. */
  render(rows: TableRows, from: number, to: number, values: ValuesDocument): Buffer
}

/** The ends of rows can no longer be determined. Earlier rows were returned. */
export class UnreadableTableError extends Error {
  override readonly name = "UnreadableTableError"
  readonly rowNumber: number
  /** @param reason a sentence that contains no input */
  constructor(rowNumber: number, reason: string) {
    super(reason)
    this.rowNumber = rowNumber
  }
}
