import type { Column } from "./output.ts"

/** What spreadsheets would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/

/** The names of columns as a line of CSV (RFC 4180), without a line break. */
export function csvTitles<Row>(columns: readonly Column<Row>[]): string {
  return columns.map(({ title }) => quote(title)).join(",")
}

/** A record as a line of CSV, without a line break. What a spreadsheet would compute gets an apostrophe before it. */
export function csvLine<Row>(columns: readonly Column<Row>[], row: Row): string {
  return columns.map(({ value }) => quote(inert(value(row)))).join(",")
}

function inert(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
