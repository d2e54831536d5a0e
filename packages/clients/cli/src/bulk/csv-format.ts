import { type ByteString, byteStringOf, bytesOf } from "./byte-string.ts"
import { cellOfLiteral, literalOfCell, spellCell, unquoted } from "./csv-cells.ts"
import { type CsvRow, CsvRowReader } from "./csv-rows.ts"
import { type Block, readBlocks } from "./read-blocks.ts"
import { RowsBuilder } from "./rows-builder.ts"
import { spliceRows } from "./splice-rows.ts"
import { MAX_ROW_VALUES, type RowFailure, rowFailure, type TableFormat, type TableRows } from "./table-row.ts"
import { literalAt, type ValuesDocument } from "./values-document.ts"

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const DELETE = 0x7f

/** The first row of a file: the names of its columns. */
export interface CsvHeader {
  readonly columns: readonly string[]
  /** Includes the line break. */
  readonly bytes: ByteString
}

/** @returns null for an empty input. @throws UnreadableTableError */
export async function readCsvHeader(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
): Promise<CsvHeader | null> {
  for await (const header of readNames(chunks, delimiter)) return header
  return null
}

/** Reads rows of names. @throws UnreadableTableError */
export async function* readNames(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
): AsyncGenerator<CsvHeader> {
  const reader = new CsvRowReader(delimiter, null)
  let number = 0
  const read = function* ({ bytes, isLast }: Block): Generator<CsvHeader, Buffer<ArrayBuffer>> {
    let start = 0
    while (start < bytes.length && reader.read(bytes, start, isLast, number)) {
      const { starts, ends, end } = reader.row
      const columns = starts.map((from, index) =>
        bytesOf(textAt(bytes, from, ends[index] ?? from)).toString(),
      )
      yield { columns, bytes: byteStringOf(bytes, start, end) }
      start = end
      number++
    }
    return bytes.subarray(start)
  }
  // There are few rows, so each is read as soon as it is complete.
  yield* readBlocks(chunks, read, 1)
}

/**
 * Creates the format of CSV with a header. Empty cells have no value, and stay empty.
 *
 * @param wanted names of columns in the header. If a name occurs twice in it, both columns are meant
 */
export function createCsvFormat(
  { columns, bytes: preamble }: CsvHeader,
  wanted: readonly string[],
  delimiter: ByteString,
): TableFormat {
  const isSelected = columns.map((column) => wanted.includes(column))
  const selected = columns.filter((_, index) => isSelected[index])
  const nameIndexes = selected.map((column) => [wanted.indexOf(column)])
  return {
    names: wanted,
    // Missing columns are refused already, and a column may well be empty.
    mustFindAll: false,
    preamble,
    async *readRows(chunks, rowsBefore, limits) {
      const reader = new CsvRowReader(delimiter, isSelected)
      const builder = new RowsBuilder(limits, rowsBefore, "unquoted")
      yield* readBlocks(chunks, (block) => readBlock(block, reader, builder))
    },
    render(rows, from, to, values) {
      return renderCells(rows, from, to, values, delimiter)
    },
  }

  function* readBlock(
    { bytes, isLast }: Block,
    reader: CsvRowReader,
    builder: RowsBuilder,
  ): Generator<TableRows, Buffer<ArrayBuffer>> {
    let rest = bytes
    try {
      while (builder.size < rest.length && reader.read(rest, builder.size, isLast, builder.nextNumber)) {
        addRow(rest, reader.row, builder)
        const due = builder.takeDue(rest)
        if (due === null) continue
        yield due
        rest = rest.subarray(due.bytes.length)
      }
    } catch (error) {
      // What can no longer be read must not discard the rows before it.
      const left = builder.takeRest(rest)
      if (left !== null) yield left
      throw error
    }
    const left = isLast ? builder.takeRest(rest) : null
    if (left !== null) yield left
    return rest
  }

  function addRow(bytes: Buffer, row: CsvRow, builder: RowsBuilder): void {
    const problem = addValues(bytes, row, builder)
    if (problem === null) builder.addRow(row.end)
    else builder.addBrokenRow(row.end, problem)
  }

  /** @returns why the row has none */
  function addValues(
    bytes: Buffer,
    { starts, ends, cells }: CsvRow,
    builder: RowsBuilder,
  ): RowFailure | null {
    if (cells !== columns.length) {
      return isBlank(bytes, builder.size) ? null : rowFailure("malformed-row")
    }
    if (selected.length > MAX_ROW_VALUES) return rowFailure("row-too-large")
    if (starts.every((from, index) => isPlain(bytes, from, ends[index] ?? from))) {
      for (const [index, from] of starts.entries()) add(builder, from, ends[index] ?? from, index)
      return null
    }
    const literals = starts.map((from, index) => literalOfCell(textAt(bytes, from, ends[index] ?? from)))
    const unreadable = literals.indexOf(null)
    if (unreadable !== -1) return rowFailure("not-utf-8", selected[unreadable])
    for (const [index, from] of starts.entries()) {
      add(builder, from, ends[index] ?? from, index, literals[index] ?? undefined)
    }
    return null
  }

  function add(builder: RowsBuilder, from: number, to: number, index: number, literal?: ByteString): void {
    if (to > from) builder.addValue(from, to, nameIndexes[index] ?? [], literal)
  }
}

function isBlank(bytes: Buffer, start: number): boolean {
  return bytes[start] === LINE_FEED || (bytes[start] === CARRIAGE_RETURN && bytes[start + 1] === LINE_FEED)
}

/** Whether JSON writes a cell unchanged. */
function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte < SPACE || byte >= DELETE || byte === QUOTE || byte === BACKSLASH) return false
  }
  return true
}

function isQuotedAt(bytes: Buffer, cellStart: number): boolean {
  return bytes[cellStart - 1] === QUOTE
}

/** Returns the content of a cell. */
function textAt(bytes: Buffer, start: number, end: number): ByteString {
  const text = byteStringOf(bytes, start, end)
  return isQuotedAt(bytes, start) ? unquoted(text) : text
}

function renderCells(
  rows: TableRows,
  from: number,
  to: number,
  values: ValuesDocument,
  delimiter: string,
): Buffer {
  const { bytes } = values
  const starts: number[] = []
  const ends: number[] = []
  const others = new Map<number, Buffer>()
  const hasEscapes = bytes.includes(BACKSLASH)
  const delimiterByte = delimiter.charCodeAt(0)
  /** The first one from the value on. */
  let nextDelimiter = -1
  const last = rows.valueCounts[to - 1] ?? 0
  for (let index = rows.valueCounts[from - 1] ?? 0; index < last; index++) {
    const start = values.starts[index] ?? 0
    const end = values.ends[index] ?? 0
    starts[index] = start + 1
    ends[index] = end - 1
    const isQuoted = isQuotedAt(rows.bytes, rows.spanStarts[index] ?? 0)
    if (nextDelimiter < start) {
      nextDelimiter = bytes.indexOf(delimiterByte, start)
      if (nextDelimiter === -1) nextDelimiter = bytes.length
    }
    if (bytes[start] === QUOTE && !hasEscapes && (isQuoted || nextDelimiter >= end)) continue
    const cell = cellOfLiteral(literalAt(values, index))
    others.set(index, bytesOf(spellCell(cell, isQuoted, delimiter)))
  }
  return spliceRows(rows, from, to, { bytes, starts, ends }, others)
}
