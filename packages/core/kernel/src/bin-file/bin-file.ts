import { KB } from "../bytes/sizes.ts"
import { BinFileError } from "./bin-file-error.ts"
import { cellOf, cellsOf, RecordScanner, type RecordSpan } from "./csv-records.ts"
import { MAX_RECORDS, Places } from "./places.ts"
import { rowOfCells, unknownColumns } from "./row-of-cells.ts"

export { BinFileError, type RecordSpan }

const BYTE_ORDER_MARK = "\ufeff"
const LONGEST_PREFIX = 10
const MAX_RECORD_BYTES = 16 * KB
/** The size of a request. Small enough that the service and its caller need little memory. */
const MAX_BATCH_BYTES = 64 * KB

/** `forward`: the next ones are near. `anywhere`: they are not, so nothing needs to be read ahead. */
export type Access = "forward" | "anywhere"

/** The bytes of a file, as its index needs them. */
export interface BinFileSource {
  /** From the first byte to the last. */
  readonly chunks: Iterable<Uint8Array>
  /** Returns the bytes of a record, valid until the next call. */
  bytes(span: RecordSpan, access: Access): Uint8Array
}

/** Rows of a BIN table for one request. */
export interface BinBatch {
  /** One JSON object per line. */
  readonly lines: string
  /** Where the next batch begins. */
  readonly end: number
}

/**
 * A CSV file of ranges of card numbers, with the positions of its records in the order that a BIN table requires. Only
 * the positions are in memory: 16 bytes per record.
 */
export interface BinFile {
  /** The columns of the header that are no field of a row, and are ignored. */
  readonly unknownColumns: readonly string[]
  /** How many records it has. */
  readonly size: number
  /**
   * Returns the rows from a position for one request, some 64 KB of them.
   *
   * @param start from 0, in the table's order
   * @throws BinFileError when a record does not match the header, or a cell that must contain JSON does not
   */
  batch(start: number): BinBatch
  /**
   * Rewrites a refusal of a line to name the record of the file: "Record 7, brand: …"; null when it names no line.
   *
   * @param start where the refused batch begins
   * @param pointer names the line: `/3/brand`
   */
  refusalOf(start: number, refusal: { readonly pointer: string; readonly reason: string }): string | null
}

/**
 * Reads a file once, and sorts its records by `from`: by the lowest number of the range and, for equal ones, the
 * shorter prefix first.
 *
 * @param delimiter one character
 * @returns yields how many records it has found, after each chunk; then the file
 * @throws BinFileError when it is not UTF-8, or not CSV with a `from` column
 */
export function* indexBinFile(source: BinFileSource, delimiter: string): Generator<number, BinFile> {
  const places = new Places()
  const scanner = new RecordScanner()
  let header: readonly string[] | null = null
  let fromColumn = -1
  const take = (span: RecordSpan) => {
    const text = textOf(source, span, "forward")
    if (header === null) {
      header = headerOf(text, delimiter)
      fromColumn = header.indexOf("from")
      if (fromColumn === -1) throw new BinFileError("The file has no column named from.")
      return
    }
    if (places.size >= MAX_RECORDS) throw new BinFileError("The file has more than 5,000,000 records.")
    places.add(span, sortKeyOf(cellOf(text, delimiter, fromColumn), places.size + 1))
  }
  for (const chunk of source.chunks) {
    for (const span of scanner.scan(chunk)) take(span)
    yield places.size
  }
  if (scanner.isOpen) throw new BinFileError("The file ends inside a quoted cell.")
  const last = scanner.end()
  if (last !== null) take(last)
  if (header === null || places.size === 0) throw new BinFileError("The file has no records.")
  const access = places.sort() ? "forward" : "anywhere"
  return binFileOf(places, header, (place) => {
    const cells = cellsOf(textOf(source, places.span(place), access), delimiter)
    if (cells !== null) return cells
    throw differentCells(places.recordNumber(place))
  })
}

function binFileOf(
  places: Places,
  columns: readonly string[],
  cellsAt: (place: number) => readonly string[],
): BinFile {
  const rowAt = (place: number) => {
    const number = places.recordNumber(place)
    const cells = cellsAt(place)
    if (cells.length !== columns.length) throw differentCells(number)
    return rowOfCells(columns, cells, number)
  }
  return {
    unknownColumns: unknownColumns(columns),
    size: places.size,
    batch(start) {
      const lines: string[] = []
      let characters = 0
      let end = start
      for (; end < places.size && characters < MAX_BATCH_BYTES; end++) {
        const line = JSON.stringify(rowAt(end))
        lines.push(line)
        characters += line.length + 1
      }
      return { lines: `${lines.join("\n")}\n`, end }
    },
    refusalOf(start, { pointer, reason }) {
      const line = /^\/([0-9]+)(?:\/|$)/.exec(pointer)
      if (line === null) return null
      const name = pointer.slice(line[0].length)
      return `Record ${places.recordNumber(start + Number(line[1]))}${name && `, ${name}`}: ${reason}`
    },
  }
}

function textOf(source: BinFileSource, span: RecordSpan, access: Access): string {
  if (span.length > MAX_RECORD_BYTES) throw new BinFileError("A record is longer than 16 KB.")
  try {
    return UTF_8.decode(source.bytes(span, access))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // Names in another encoding would be imported as question marks.
    throw new BinFileError(`The record at byte ${span.offset} is not UTF-8.`, { cause: error })
  }
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

function headerOf(text: string, delimiter: string): readonly string[] {
  const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  const cells = cellsOf(plain, delimiter)
  if (cells === null) throw new BinFileError("The header is not valid CSV.")
  const columns = cells.map((cell) => cell.trim())
  if (columns.some((column, index) => column !== "" && columns.indexOf(column) !== index)) {
    throw new BinFileError("The header names a column twice.")
  }
  return columns
}

const differentCells = (number: number) =>
  new BinFileError(`Record ${number} has a different number of cells than the header.`)

/** Sorts in the service's order. */
function sortKeyOf(from: string, number: number): number {
  if (!/^[0-9]{6,10}$/.test(from)) throw new BinFileError(`Record ${number}: from must be 6 to 10 digits.`)
  return Number(from.padEnd(LONGEST_PREFIX, "0")) * 16 + from.length
}
