import { isUtf8 } from "node:buffer"
import { type ByteString, bytesOf, utf8Of } from "./byte-string.ts"

/** What JSON spells as it is. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** What a quoted cell holds, as it is spelled between its quotes. */
export function unquoted(spelled: ByteString): ByteString {
  return spelled.replaceAll('""', '"')
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
 * @param isQuoted whether it takes the place of what stands between quotes
 */
export function spellCell(cell: ByteString, isQuoted: boolean, delimiter: ByteString): ByteString {
  const doubled = cell.replaceAll('"', '""')
  if (isQuoted) return doubled
  return cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${doubled}"` : cell
}
