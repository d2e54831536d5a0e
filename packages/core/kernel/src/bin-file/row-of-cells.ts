import { BinFileError } from "./bin-file-error.ts"

/** Columns of a file that become text fields of a row. */
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
/** Columns that contain JSON. */
const DOCUMENTS = new Set(["fastFunds", "threeDS"])

/** Returns the columns of a file without a corresponding row field. */
export function unknownColumns(columns: readonly string[]): readonly string[] {
  return columns.filter((column) => !TEXTS.has(column) && !DOCUMENTS.has(column))
}

/**
 * Converts a record of a file to a row of a BIN table. Empty cells are left out; a range without `to` is one prefix.
 *
 * @param number the number of the record, from 1, for people
 * @throws BinFileError when a cell that must contain JSON does not
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
    throw new BinFileError(`Record ${number}: ${column} must be JSON.`, { cause: error })
  }
}
