import { csvLine, csvTitles } from "../terminal/csv.ts"
import type { Column } from "../terminal/output.ts"
import { type ByteString, utf8Of } from "./byte-string.ts"
import type { RowFailure } from "./table-row.ts"

export interface FailedRow extends RowFailure {
  readonly number: number
}

const COLUMNS: readonly Column<FailedRow>[] = [
  { title: "row", value: ({ number }) => String(number) },
  { title: "column", value: ({ name }) => name ?? "" },
  { title: "code", value: ({ code }) => code },
  { title: "reason", value: ({ reason }) => reason },
]

/** How failures are written: in the format of the table, without anything from its rows. */
export interface FailureLines {
  readonly header: ByteString
  line(failed: FailedRow): ByteString
}

export const CSV_FAILURES: FailureLines = {
  header: utf8Of(`${csvTitles(COLUMNS)}\n`),
  line: (failed) => utf8Of(`${csvLine(COLUMNS, failed)}\n`),
}

export const NDJSON_FAILURES: FailureLines = {
  header: "",
  line: ({ number, name, code, reason }) =>
    utf8Of(`${JSON.stringify({ row: number, ...(name !== null && { field: name }), code, reason })}\n`),
}
