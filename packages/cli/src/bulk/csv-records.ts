import { CsvError, Parser } from "csv-parse"
import type { ByteString } from "./byte-string.ts"
import { type CellBounds, locateCells, locatePlainCells } from "./csv-cells.ts"
import { MAX_ROW_BYTES, UnreadableTableError } from "./table-row.ts"

const QUOTE = 0x22
const LINE_FEED = 0x0a

/** A record of CSV. */
export interface CsvRecord {
  /** As they were read, line break included. */
  readonly bytes: ByteString
  /** Where its cells stand; null when its quotes are not those of CSV. */
  readonly bounds: CellBounds | null
}

/**
 * Reads records of CSV (RFC 4180), those of a chunk at a time. Lines end with CRLF or LF, and quoted cells may hold line
 * breaks.
 *
 * @param delimiter one ASCII character
 * @param recordsBefore how many records stand before the first chunk: errors count from there
 * @throws UnreadableTableError behind the last record whose end is known
 */
export async function* readCsvRecords(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
  recordsBefore: number,
): AsyncGenerator<readonly CsvRecord[]> {
  const cutter = new RecordCutter(delimiter)
  let total = recordsBefore
  const next = (chunk: Uint8Array | null) => cutter.cut(chunk)
  for await (const chunk of chunks) {
    const { records, error } = await next(chunk)
    total += records.length
    if (records.length > 0) yield records
    if (error !== null) throw unreadable(error, total + 1)
  }
  const { records, error } = await next(null)
  total += records.length
  if (records.length > 0) yield records
  if (error !== null) throw unreadable(error, total + 1)
}

/**
 * Lines without a quote are cut here, which takes a tenth of the parser's time; from the first quote of a chunk on, the
 * parser reads. It hands out cells only: the bytes of the records are kept beside it.
 */
class RecordCutter {
  readonly #delimiter: string
  #records: CsvRecord[] = []
  /** What is not part of a finished record yet. */
  #pending: Buffer = Buffer.alloc(0)
  /** Reads a record that has begun in an earlier chunk. */
  #parser: RecordParser | null = null

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  /** @param chunk null at the end */
  async cut(chunk: Uint8Array | null): Promise<{ records: readonly CsvRecord[]; error: Error | null }> {
    this.#records = []
    const isEnd = chunk === null
    const bytes = chunk ?? Buffer.alloc(0)
    let fresh: Uint8Array = bytes
    if (this.#pending.length > 0) this.#pending = Buffer.concat([this.#pending, bytes])
    else this.#pending = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (this.#parser === null) {
      const isReadable = this.#cutPlainLines(isEnd)
      if (!isReadable || !this.#pending.includes(QUOTE)) {
        const isTooLarge = !isReadable || this.#pending.length > MAX_ROW_BYTES
        const error = isTooLarge ? new CsvError("CSV_MAX_RECORD_SIZE", "") : null
        return { records: this.#records, error }
      }
      this.#parser = new RecordParser(this.#delimiter)
      fresh = this.#pending
    }
    const { records, error } = await this.#parser.parse(fresh, isEnd)
    for (const { cells, end } of records) {
      const { start } = this.#parser
      const record = this.#pending.toString("latin1", 0, end - start)
      this.#records.push({ bytes: record, bounds: locateCells(record, cells, this.#delimiter) })
      this.#pending = this.#pending.subarray(end - start)
      this.#parser.start = end
    }
    // Another one begins with what this one holds of an unfinished record, which may have no quote.
    if (records.length > 0) this.#parser = null
    return { records: this.#records, error }
  }

  /** Takes the lines before the first quote. @returns false at one that is too large */
  #cutPlainLines(isEnd: boolean): boolean {
    const quote = this.#pending.indexOf(QUOTE)
    const isAllPlain = quote === -1
    const lastBreak = isAllPlain
      ? this.#pending.lastIndexOf(LINE_FEED)
      : quote === 0
        ? -1
        : this.#pending.lastIndexOf(LINE_FEED, quote - 1)
    const end = isAllPlain && isEnd ? this.#pending.length : lastBreak + 1
    const text = this.#pending.toString("latin1", 0, end)
    this.#pending = this.#pending.subarray(end)
    for (let start = 0; start < text.length; ) {
      const lineBreak = text.indexOf("\n", start)
      const next = lineBreak === -1 ? text.length : lineBreak + 1
      if (next - start > MAX_ROW_BYTES) return false
      const bytes = text.slice(start, next)
      this.#records.push({ bytes, bounds: locatePlainCells(bytes, this.#delimiter) })
      start = next
    }
    return true
  }
}

interface ParsedRecord {
  readonly cells: readonly ByteString[]
  /** In bytes from the first one that was parsed. */
  readonly end: number
}

class RecordParser {
  /** Where the record begins that is read next, in bytes from the first one. Kept by the caller. */
  start = 0
  readonly #parser: Parser
  #records: ParsedRecord[] = []
  #error: Error | null = null

  constructor(delimiter: string) {
    this.#parser = new Parser({
      delimiter,
      encoding: "latin1",
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      max_record_size: MAX_ROW_BYTES,
      on_record: (cells: ByteString[], { bytes: end }) => {
        this.#records.push({ cells, end })
        // Nothing is left for the parser to hand out.
        return null
      },
    })
    this.#parser.on("error", (error) => {
      this.#error ??= error
    })
  }

  async parse(bytes: Uint8Array, isEnd: boolean) {
    this.#records = []
    let error = await new Promise<Error | null | undefined>((resolve) => this.#parser.write(bytes, resolve))
    if (isEnd && !error) {
      error = await new Promise<Error | null | undefined>((resolve) => {
        this.#parser.once("error", resolve)
        this.#parser.end(resolve)
      })
    }
    return { records: this.#records, error: error ?? this.#error }
  }
}

/** The parser's own words may hold what was read. */
function unreadable(error: Error, recordNumber: number): Error {
  if (!(error instanceof CsvError)) return error
  if (error.code === "CSV_MAX_RECORD_SIZE") {
    return new UnreadableTableError(recordNumber, "It is larger than 16 MB. Is a closing quote missing?")
  }
  if (error.code === "CSV_QUOTE_NOT_CLOSED") {
    return new UnreadableTableError(recordNumber, "A quote opens in it that is never closed.")
  }
  return new UnreadableTableError(
    recordNumber,
    "It has a quote inside a cell that does not begin with one, or text behind a closing quote.",
  )
}
