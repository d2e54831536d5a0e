import type { ByteString } from "./byte-string.ts"
import type { TableRow } from "./table-row.ts"

/** A row with texts in the place of its selected values. All other bytes stay. */
export function spliceRow({ bytes, values }: TableRow, texts: readonly ByteString[]): ByteString {
  let spliced = ""
  let from = 0
  for (const [index, { start, end }] of values.entries()) {
    spliced += bytes.slice(from, start) + (texts[index] ?? "")
    from = end
  }
  return spliced + bytes.slice(from)
}
