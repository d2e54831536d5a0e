import { isUtf8 } from "node:buffer"
import { type ByteString, bytesOf, utf8Of } from "./byte-string.ts"

/** Text that JSON writes unchanged. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** Returns the content of a quoted cell, with doubled quotes resolved. */
export function unquoted(spelled: ByteString): ByteString {
  return spelled.replaceAll('""', '"')
}

/** Returns the text of a cell as a JSON string; null when it is not UTF-8. */
export function literalOfCell(cell: ByteString): ByteString | null {
  if (PLAIN.test(cell)) return `"${cell}"`
  const bytes = bytesOf(cell)
  return isUtf8(bytes) ? utf8Of(JSON.stringify(bytes.toString())) : null
}

/** Returns a JSON literal as the text of a cell: strings without quotes, anything else unchanged. */
export function cellOfLiteral(literal: ByteString): ByteString {
  if (!literal.startsWith('"')) return literal
  if (!literal.includes("\\")) return literal.slice(1, -1)
  const text: unknown = JSON.parse(bytesOf(literal).toString())
  return utf8Of(String(text))
}

/**
 * Writes a cell (RFC 4180).
 *
 * @param isQuoted whether it replaces text between quotes
 */
export function spellCell(cell: ByteString, isQuoted: boolean, delimiter: ByteString): ByteString {
  const doubled = cell.replaceAll('"', '""')
  if (isQuoted) return doubled
  return cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${doubled}"` : cell
}
