import { MB } from "@sealway/kernel"
import type { ByteString } from "./byte-string.ts"
import type { ValuesDocument } from "./values-document.ts"

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

/**
 * Rows of a table that follow one another, as they were read. What is known of each row and value stands in a list of its
 * own: millions of small objects would cost more than all other work.
 */
export interface TableRows {
  /** Of the first row, from 1. The header is none. */
  readonly firstNumber: number
  /** All of them, line breaks included. */
  readonly bytes: Buffer<ArrayBuffer>
  /** By row: where it ends in the bytes. */
  readonly ends: readonly number[]
  /** By row: how many values it and those before it have. */
  readonly valueCounts: readonly number[]
  /** The selected values, in order, as JSON. */
  readonly values: ValuesDocument
  /** By value: other bytes take the place of `[start, end)`. In CSV, the quotes of a cell are not among them. */
  readonly spanStarts: readonly number[]
  readonly spanEnds: readonly number[]
  /** By value: the column, or the selectors that select it: indexes into the table's `names`, one at least. */
  readonly nameIndexes: readonly (readonly number[])[]
  /** By the index of a row: why it cannot be sent. It has no values. */
  readonly problems: ReadonlyMap<number, RowFailure>
  /** Of a row that is too large to keep, and then the only one: its bytes are empty, and this is what they were. */
  readonly skippedBytes: number
}

/** Rows larger than this are not read. */
export const MAX_ROW_BYTES = 16 * MB
/** More values of one row are not sent. */
export const MAX_ROW_VALUES = 100_000

/** What one request holds at most. A row that is larger by itself makes a batch of one. */
export interface BatchLimits {
  readonly maxRows: number
  readonly maxValues: number
  /** Of the values that are sent, not of the rows. */
  readonly maxValueBytes: number
  /** Of the rows, which are kept until their values have come back. */
  readonly maxRowBytes: number
}

/** How a table is read and written. */
export interface TableFormat {
  /** Columns, or selectors. */
  readonly names: readonly string[]
  /** Whether a name that no row has a value for is a mistake. */
  readonly mustFindAll: boolean
  /** Written before the first row; the header of CSV. */
  readonly preamble: ByteString
  /**
   * Cuts bytes into rows, in order, those of a request together. Together, their bytes are all that was read.
   *
   * @param rowsBefore how many rows stand before the first chunk
   * @throws UnreadableTableError behind the last row whose end is known
   */
  readRows(
    chunks: AsyncIterable<Uint8Array>,
    rowsBefore: number,
    limits: BatchLimits,
  ): AsyncIterable<TableRows>
  /** The rows `[from, to)` with other values in the place of those that were selected. */
  render(rows: TableRows, from: number, to: number, values: ValuesDocument): Buffer
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
