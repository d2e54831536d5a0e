import type { Column } from "./output.ts"

/** What spreadsheets would interpret as a formula. */
const FORMULA = /^[=+\-@\t\r]/

/** Formats the names of columns as a CSV line (RFC 4180), without a line break. */
export function csvTitles<Row>(columns: readonly Column<Row>[]): string {
  return columns.map(({ title }) => quote(title)).join(",")
}

/**
 * Formats a record as a CSV line, without a line break. What a spreadsheet would evaluate gets a leading apostrophe.
 */
export function csvLine<Row>(columns: readonly Column<Row>[], row: Row): string {
  return columns.map(({ value }) => quote(inert(value(row)))).join(",")
}

function inert(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
