import { type ByteString, byteStringOf, bytesOf } from "../bulk/byte-string.ts"
import { spellCell, unquoted } from "../bulk/csv-cells.ts"
import { CsvRowReader } from "../bulk/csv-rows.ts"
import { type Block, readBlocks } from "../bulk/read-blocks.ts"
import type { Draw } from "./made-up-cell.ts"

const QUOTE = 0x22
const UTF8_MARK = "\u{feff}"
const SAMPLE_ROWS = 500

/** A cell, and how it is written. */
export interface SampledCell {
  readonly text: string
  readonly isQuoted: boolean
}

export type SampledRow = readonly SampledCell[]

/** What is known of a table after reading it once. */
export interface CsvSurvey {
  readonly columns: readonly string[]
  /** Rows with as many cells as the header, without it. */
  readonly rows: number
  /** A random choice of them, all equally likely. */
  readonly sample: readonly SampledRow[]
  readonly lineBreak: "\n" | "\r\n"
}

/** A row as it is read: its bytes with the line break, and its cells. */
interface ReadRow {
  readonly bytes: Buffer
  readonly cells: readonly SampledCell[]
}

/** @throws UnreadableTableError */
async function* readRows(chunks: AsyncIterable<Uint8Array>, delimiter: string): AsyncGenerator<ReadRow> {
  const reader = new CsvRowReader(delimiter, null)
  let number = 0
  const read = function* ({ bytes, isLast }: Block): Generator<ReadRow, Buffer<ArrayBuffer>> {
    let start = 0
    while (start < bytes.length && reader.read(bytes, start, isLast, number)) {
      const { starts, ends, end } = reader.row
      const cells = starts.map((from, index) => cellAt(bytes, from, ends[index] ?? from))
      yield { bytes: bytes.subarray(start, end), cells }
      start = end
      number++
    }
    return bytes.subarray(start)
  }
  yield* readBlocks(chunks, read)
}

function cellAt(bytes: Buffer, start: number, end: number): SampledCell {
  const isQuoted = bytes[start - 1] === QUOTE
  const spelled = byteStringOf(bytes, start, end)
  return { text: bytesOf(isQuoted ? unquoted(spelled) : spelled).toString(), isQuoted }
}

/**
 * Reads a table once, and keeps a sample of its rows.
 *
 * @returns null for an empty table
 * @throws UnreadableTableError
 */
export async function surveyCsv(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
  draw: Draw,
): Promise<CsvSurvey | null> {
  let header: ReadRow | null = null
  let rows = 0
  const sample: SampledRow[] = []
  for await (const row of readRows(chunks, delimiter)) {
    if (header === null) header = row
    else if (row.cells.length === header.cells.length && !isBlank(row)) {
      // Reservoir sampling: after n rows, each is in the sample with the same probability.
      const place = rows < SAMPLE_ROWS ? rows : draw(rows + 1)
      if (place < SAMPLE_ROWS) sample[place] = row.cells
      rows++
    }
  }
  if (header === null) return null
  const columns = header.cells.map(({ text }, index) => (index === 0 ? text.replace(UTF8_MARK, "") : text))
  const lineBreak = header.bytes.toString("latin1").endsWith("\r\n") ? "\r\n" : "\n"
  return { columns, rows, sample, lineBreak }
}

/**
 * Yields a table byte for byte, with more rows in it.
 *
 * @param added by the number of the row that they precede, from 0, counted as in the survey
 */
export async function* withRows(
  chunks: AsyncIterable<Uint8Array>,
  { columns, lineBreak }: Omit<CsvSurvey, "rows" | "sample">,
  delimiter: string,
  added: ReadonlyMap<number, readonly SampledRow[]>,
): AsyncGenerator<Buffer> {
  let number = -1
  for await (const row of readRows(chunks, delimiter)) {
    if (number === -1) number = 0
    else if (row.cells.length === columns.length && !isBlank(row)) {
      for (const cells of added.get(number++) ?? []) yield writeRow(cells, delimiter, lineBreak)
    }
    yield row.bytes
  }
}

function isBlank({ cells }: ReadRow): boolean {
  return cells.length === 1 && cells[0]?.text === "" && !cells[0].isQuoted
}

function writeRow(cells: SampledRow, delimiter: string, lineBreak: string): Buffer {
  const spelled = cells.map(({ text, isQuoted }): ByteString => {
    const cell = spellCell(Buffer.from(text).toString("latin1"), isQuoted, delimiter)
    return isQuoted ? `"${cell}"` : cell
  })
  return bytesOf(spelled.join(delimiter) + lineBreak)
}
