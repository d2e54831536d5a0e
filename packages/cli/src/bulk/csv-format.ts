import { type ByteString, bytesOf } from "./byte-string.ts"
import { cellOfLiteral, literalOfCell, spellCell, textOfCell } from "./csv-cells.ts"
import { type CsvRecord, readCsvRecords } from "./csv-records.ts"
import { spliceRow } from "./splice-row.ts"
import {
  MAX_ROW_VALUES,
  type RowFailure,
  rowFailure,
  type SelectedValue,
  type TableFormat,
  type TableRow,
} from "./table-row.ts"

const QUOTE = '"'

/** The first record of a file: the names of its columns. */
export interface CsvHeader {
  readonly columns: readonly string[]
  /** With the line break. */
  readonly bytes: ByteString
}

/** @returns null for an empty input. @throws UnreadableTableError */
export async function readCsvHeader(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
): Promise<CsvHeader | null> {
  for await (const [record] of readCsvRecords(chunks, delimiter, -1)) {
    if (record === undefined) continue
    return { columns: namesOf(record), bytes: record.bytes }
  }
  return null
}

/** The cells of a record as text. None when its quotes are not those of CSV. */
export function namesOf({ bytes, bounds }: CsvRecord): readonly string[] {
  return (bounds ?? []).slice(0, -1).map((start, index) => {
    const end = (bounds?.[index + 1] ?? 1) - 1
    return bytesOf(textOfCell(bytes.slice(start, end))).toString()
  })
}

/**
 * CSV with a header. Empty cells hold no value, and stay empty.
 *
 * @param wanted names of columns, each of the header's. Where a name stands twice in it, both columns are meant
 */
export function createCsvFormat(
  { columns, bytes: preamble }: CsvHeader,
  wanted: readonly string[],
  delimiter: ByteString,
): TableFormat {
  const selected = columns.flatMap((column, index) => {
    const nameIndex = wanted.indexOf(column)
    return nameIndex === -1 ? [] : [{ index, nameIndexes: [nameIndex] }]
  })
  return {
    names: wanted,
    // Those that the header has not are refused, and a column may well be empty.
    mustFindAll: false,
    preamble,
    async *readRows(chunks, rowsBefore) {
      let number = rowsBefore
      for await (const records of readCsvRecords(chunks, delimiter, rowsBefore)) {
        yield records.map((record) => rowOf(record, ++number))
      }
    },
    render(row, literals) {
      const texts = literals.map((literal, index) => {
        const start = row.values[index]?.start ?? 0
        return spellCell(cellOfLiteral(literal), row.bytes[start] === QUOTE, delimiter)
      })
      return spliceRow(row, texts)
    },
  }

  function rowOf({ bytes, bounds }: CsvRecord, number: number): TableRow {
    const sizeBytes = bytes.length
    const broken = (problem: RowFailure): TableRow => ({ number, bytes, sizeBytes, values: [], problem })
    if (bounds === null) return broken(rowFailure("malformed-row"))
    const isBlank = bounds.length === 2 && bounds[1] === 1 && columns.length > 1
    if (isBlank) return { number, bytes, sizeBytes, values: [], problem: null }
    if (bounds.length !== columns.length + 1) return broken(rowFailure("malformed-row"))
    if (selected.length > MAX_ROW_VALUES) return broken(rowFailure("row-too-large"))
    const values: SelectedValue[] = []
    for (const { index, nameIndexes } of selected) {
      const start = bounds[index] ?? 0
      const end = (bounds[index + 1] ?? 1) - 1
      const cell = textOfCell(bytes.slice(start, end))
      if (cell === "") continue
      const literal = literalOfCell(cell)
      if (literal === null) return broken(rowFailure("not-utf-8", columns[index]))
      values.push({ start, end, literal, nameIndexes })
    }
    return { number, bytes, sizeBytes, values, problem: null }
  }
}
