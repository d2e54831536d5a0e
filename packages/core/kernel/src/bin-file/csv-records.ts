const QUOTE = 0x22
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** The position of a CSV record in its file, in bytes, without its line break. */
export interface RecordSpan {
  readonly offset: number
  readonly length: number
}

/**
 * Finds the records of a CSV file (RFC 4180), chunk by chunk: quoted cells may contain line breaks. Empty lines are
 * skipped.
 */
export class RecordScanner {
  /** The position of the chunk's first byte in the file. */
  #position = 0
  #recordStart = 0
  #isQuoted = false
  #lastByte = 0

  /** Returns the record without a line break at the end; null when there is none. */
  end(): RecordSpan | null {
    return this.#cut(this.#position, this.#lastByte)
  }

  /** Yields the records that end in a chunk. Call `end` for the last record of a file. */
  *scan(chunk: Uint8Array): Generator<RecordSpan> {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted
      else if (byte === LINE_FEED && !this.#isQuoted) {
        const before = index === 0 ? this.#lastByte : (chunk[index - 1] ?? 0)
        const span = this.#cut(this.#position + index, before)
        if (span !== null) yield span
      }
    }
    this.#position += chunk.length
    this.#lastByte = chunk.at(-1) ?? this.#lastByte
  }

  /** Whether the file ends within a quoted cell. */
  get isOpen(): boolean {
    return this.#isQuoted
  }

  #cut(end: number, before: number): RecordSpan | null {
    const offset = this.#recordStart
    this.#recordStart = end + 1
    const length = end - offset - (end > offset && before === CARRIAGE_RETURN ? 1 : 0)
    return length > 0 ? { offset, length } : null
  }
}

/**
 * Splits a record into cells.
 *
 * @param delimiter one character
 * @returns null when a quoted cell does not end, or continues after its quotes
 */
export function cellsOf(record: string, delimiter: string): string[] | null {
  const cells: string[] = []
  for (let start = 0; start <= record.length; ) {
    if (record[start] !== '"') {
      const found = record.indexOf(delimiter, start)
      const end = found === -1 ? record.length : found
      cells.push(record.slice(start, end))
      start = end + 1
      continue
    }
    const end = endOfQuotes(record, start)
    if (end === -1) return null
    if (end < record.length && record[end] !== delimiter) return null
    cells.push(record.slice(start + 1, end - 1).replaceAll('""', '"'))
    start = end + 1
  }
  return cells
}

/**
 * Returns one cell of a record, without splitting the others unless there are quotes before it; empty when there is
 * none.
 */
export function cellOf(record: string, delimiter: string, column: number): string {
  let start = 0
  for (let before = 0; before < column; before++) {
    const found = record.indexOf(delimiter, start)
    if (found === -1) return ""
    start = found + 1
  }
  const found = record.indexOf(delimiter, start)
  const end = found === -1 ? record.length : found
  const quote = record.indexOf('"')
  if (quote !== -1 && quote < end) return cellsOf(record, delimiter)?.[column] ?? ""
  return record.slice(start, end)
}

/** Returns the index after the closing quote of a cell; -1 when there is none. */
function endOfQuotes(record: string, start: number): number {
  for (let index = start + 1; ; ) {
    const quote = record.indexOf('"', index)
    if (quote === -1) return -1
    if (record[quote + 1] !== '"') return quote + 1
    index = quote + 2
  }
}
