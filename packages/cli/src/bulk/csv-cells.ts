import { isUtf8 } from "node:buffer"
import { type ByteString, bytesOf, utf8Of } from "./byte-string.ts"

const QUOTE = 0x22
/** What JSON spells as it is. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/**
 * Where the cells of a row begin, quotes included, and one more: cell `i` is the characters from `bounds[i]` to the one
 * before `bounds[i + 1] - 1`, where the delimiter or the end of the row is.
 */
export type CellBounds = readonly number[]

/** The cells of a row without a quote. */
export function locatePlainCells(row: ByteString, delimiter: ByteString): CellBounds {
  const bounds = [0]
  for (let at = row.indexOf(delimiter); at !== -1; at = row.indexOf(delimiter, at + 1)) bounds.push(at + 1)
  bounds.push(endOfCells(row) + 1)
  return bounds
}

/**
 * The cells of a row that a parser has read, so that the others can stay byte for byte.
 *
 * @param row with its line break
 * @param cells what the parser made of it
 * @returns null when row and cells do not fit together
 */
export function locateCells(
  row: ByteString,
  cells: readonly ByteString[],
  delimiter: ByteString,
): CellBounds | null {
  const bounds: number[] = []
  let start = 0
  for (const [index, cell] of cells.entries()) {
    if (index > 0 && row[start - 1] !== delimiter) return null
    const spelled = row.charCodeAt(start) === QUOTE ? quoted(cell) : cell
    if (!row.startsWith(spelled, start)) return null
    bounds.push(start)
    start += spelled.length + 1
  }
  return start === endOfCells(row) + 1 ? [...bounds, start] : null
}

function endOfCells(row: ByteString): number {
  if (!row.endsWith("\n")) return row.length
  return row.endsWith("\r\n") ? row.length - 2 : row.length - 1
}

/** What a cell holds, as it is spelled in its row. */
export function textOfCell(spelled: ByteString): ByteString {
  return spelled.charCodeAt(0) === QUOTE ? spelled.slice(1, -1).replaceAll('""', '"') : spelled
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
