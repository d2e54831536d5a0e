import { isUtf8 } from "node:buffer"
import { type ByteString, bytesOf, utf8Of } from "./byte-string.ts"

const QUOTE = 0x22
/** What JSON spells as it is. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** Where a cell stands in its row, quotes included. */
export interface CellSpan {
  readonly start: number
  readonly end: number
}

/**
 * Finds the cells of a row that a parser has read, so that the others can stay byte for byte.
 *
 * @param row with its line break
 * @param cells what the parser made of it
 * @returns null when row and cells do not fit together
 */
export function locateCells(
  row: ByteString,
  cells: readonly ByteString[],
  delimiter: ByteString,
): readonly CellSpan[] | null {
  const spans: CellSpan[] = []
  const rowEnd = row.endsWith("\r\n") ? row.length - 2 : row.endsWith("\n") ? row.length - 1 : row.length
  let start = 0
  for (const [index, cell] of cells.entries()) {
    if (index > 0) {
      if (row[start] !== delimiter) return null
      start++
    }
    const spelled = row.charCodeAt(start) === QUOTE ? quoted(cell) : cell
    if (!row.startsWith(spelled, start)) return null
    spans.push({ start, end: start + spelled.length })
    start += spelled.length
  }
  return start === rowEnd ? spans : null
}

/** The text of a cell as a JSON string; null when it is not UTF-8. */
export function literalOfCell(cell: ByteString): ByteString | null {
  if (PLAIN.test(cell)) return `"${cell}"`
  const bytes = bytesOf(cell)
  return isUtf8(bytes) ? utf8Of(JSON.stringify(bytes.toString())) : null
}

/** A JSON literal as the text of a cell: strings without their quotes, anything else as it is written. */
export function cellOfLiteral(literal: ByteString): ByteString {
  if (!literal.startsWith('"')) return literal
  if (!literal.includes("\\")) return literal.slice(1, -1)
  const text: unknown = JSON.parse(bytesOf(literal).toString())
  return utf8Of(String(text))
}

/**
 * A cell as it is written (RFC 4180).
 *
 * @param wasQuoted keeps the quotes of the cell that stood there before
 */
export function spellCell(cell: ByteString, wasQuoted: boolean, delimiter: ByteString): ByteString {
  return wasQuoted || cell.includes(delimiter) || /["\r\n]/.test(cell) ? quoted(cell) : cell
}

function quoted(cell: ByteString): ByteString {
  return cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : `"${cell}"`
}
