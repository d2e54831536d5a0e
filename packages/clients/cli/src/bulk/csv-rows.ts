import { MAX_ROW_BYTES, UnreadableTableError } from "./table-row.ts"

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const QUOTE = 0x22

/** The positions of a row's selected cells. Filled for one row after another. */
export interface CsvRow {
  /** The position after its line break. */
  end: number
  cells: number
  /** By selected column, in order: the cell is the bytes `[start, end)` without quotes. */
  readonly starts: number[]
  readonly ends: number[]
}

/**
 * Reads CSV rows (RFC 4180). Lines end with CRLF or LF, and quoted cells may contain line breaks. Nothing is unquoted
 * or copied: it only returns positions, so that everything else can stay byte for byte.
 */
export class CsvRowReader {
  readonly row: CsvRow = { end: 0, cells: 0, starts: [], ends: [] }
  readonly #delimiter: number
  /** By column. */
  readonly #isSelected: readonly boolean[] | null

  /**
   * @param delimiter one ASCII character
   * @param isSelected by column; null selects all
   */
  constructor(delimiter: string, isSelected: readonly boolean[] | null) {
    this.#delimiter = delimiter.charCodeAt(0)
    this.#isSelected = isSelected
  }

  /**
   * Reads the row that starts at a position into `row`.
   *
   * @param isLast whether nothing follows the bytes
   * @param rowNumber for errors
   * @returns false when the row does not end within the bytes
   * @throws UnreadableTableError when it has a misplaced quote, or is too large
   */
  read(bytes: Buffer, start: number, isLast: boolean, rowNumber: number): boolean {
    const { row } = this
    row.cells = row.starts.length = row.ends.length = 0
    for (let at = start; ; at++) {
      const isQuoted = bytes[at] === QUOTE
      const cellStart = isQuoted ? at + 1 : at
      at = isQuoted ? skipQuoted(bytes, at, isLast, rowNumber) : this.#skipPlain(bytes, at, rowNumber)
      if (at >= bytes.length && !isLast) return this.#isLeft(bytes, start, rowNumber)
      let cellEnd = isQuoted ? at - 1 : at
      if (isQuoted && bytes[at] === CARRIAGE_RETURN) {
        if (at + 1 === bytes.length && !isLast) return this.#isLeft(bytes, start, rowNumber)
        if (bytes[at + 1] === LINE_FEED) at++
      } else if (
        !isQuoted &&
        bytes[at] === LINE_FEED &&
        at > cellStart &&
        bytes[at - 1] === CARRIAGE_RETURN
      ) {
        cellEnd--
      }
      this.#addCell(cellStart, cellEnd)
      const isEnd = at >= bytes.length
      if (!isEnd && bytes[at] === this.#delimiter) continue
      if (!isEnd && bytes[at] !== LINE_FEED) throw misplacedQuote(rowNumber)
      row.end = isEnd ? at : at + 1
      if (row.end - start > MAX_ROW_BYTES) throw tooLarge(rowNumber)
      return true
    }
  }

  /** Returns the position of the delimiter, the line break or the end after an unquoted cell. */
  #skipPlain(bytes: Buffer, start: number, rowNumber: number): number {
    const { length } = bytes
    const delimiter = this.#delimiter
    let at = start
    for (; at < length; at++) {
      const byte = bytes[at]
      if (byte === delimiter || byte === LINE_FEED) return at
      if (byte === QUOTE) throw misplacedQuote(rowNumber)
    }
    return at
  }

  #addCell(start: number, end: number): void {
    const { row } = this
    if (this.#isSelected === null || this.#isSelected[row.cells] === true) {
      row.starts.push(start)
      row.ends.push(end)
    }
    row.cells++
  }

  /** The remaining bytes are the start of a row. */
  #isLeft(bytes: Buffer, start: number, rowNumber: number): false {
    if (bytes.length - start > MAX_ROW_BYTES) throw tooLarge(rowNumber)
    return false
  }
}

/** Returns the position after the closing quote, or after all bytes when it has not arrived. */
function skipQuoted(bytes: Buffer, start: number, isLast: boolean, rowNumber: number): number {
  for (let at = start + 1; ; at += 2) {
    at = bytes.indexOf(QUOTE, at)
    if (at === -1) {
      if (isLast) throw new UnreadableTableError(rowNumber, "It has a quote that is never closed.")
      return bytes.length
    }
    // Two quotes are one in the cell. At the end of the bytes, the second may still arrive.
    if (bytes[at + 1] !== QUOTE) return at + 1
  }
}

function tooLarge(rowNumber: number): UnreadableTableError {
  return new UnreadableTableError(rowNumber, "It is larger than 16 MB. Is a closing quote missing?")
}

function misplacedQuote(rowNumber: number): UnreadableTableError {
  return new UnreadableTableError(
    rowNumber,
    "It has a quote inside an unquoted cell, or text after a closing quote.",
  )
}
