import { UsageFailure } from "../terminal/failures.ts"

/** Columns of a file that become fields of a row, as text. */
const TEXTS = new Set([
  "from",
  "to",
  "brand",
  "funding",
  "segment",
  "country",
  "currency",
  "issuer",
  "productName",
  "type",
])
/** Columns that hold JSON. */
const DOCUMENTS = new Set(["fastFunds", "threeDS"])

/** The columns of a file that no row has a field for. */
export function unknownColumns(columns: readonly string[]): readonly string[] {
  return columns.filter((column) => !TEXTS.has(column) && !DOCUMENTS.has(column))
}

/**
 * A row of a BIN table from a record of a file. Empty cells are left out; a range without `to` is one prefix.
 *
 * @param number of the record, from 1, for people
 * @throws UsageFailure when a cell that must hold JSON does not
 */
export function rowOfCells(columns: readonly string[], cells: readonly string[], number: number): object {
  const row: Record<string, unknown> = {}
  for (const [index, column] of columns.entries()) {
    const cell = (cells[index] ?? "").trim()
    if (cell === "") continue
    if (TEXTS.has(column)) row[column] = cell
    else if (DOCUMENTS.has(column)) row[column] = parseCell(cell, column, number)
  }
  row.to ??= row.from
  return row
}

function parseCell(cell: string, column: string, number: number): unknown {
  try {
    return JSON.parse(cell)
  } catch (error) {
    throw new UsageFailure(`Record ${number}: ${column} must be JSON.`, { cause: error })
  }
}
