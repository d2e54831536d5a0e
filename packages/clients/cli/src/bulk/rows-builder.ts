import { type ByteString, bytesOf, copyBytes } from "./byte-string.ts"
import type { BatchLimits, RowFailure, TableRows } from "./table-row.ts"
import { NO_VALUES, type ValuesDocument } from "./values-document.ts"

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const NO_BYTES = Buffer.alloc(0)

/** Whether values are written in the rows as JSON, or without the quotes of strings. */
export type Spelling = "json" | "unquoted"

/**
 * Collects rows for a request. A reader adds the values of a row, in order, then the row; and takes the batch when it
 * is due. Positions refer to a block of bytes that starts with the batch: a different block that starts with the same
 * bytes may replace it.
 */
export class RowsBuilder {
  readonly #limits: BatchLimits
  readonly #spelling: Spelling
  #firstNumber: number
  #ends: number[] = []
  #valueCounts: number[] = []
  #spanStarts: number[] = []
  #spanEnds: number[] = []
  #nameIndexes: (readonly number[])[] = []
  #problems = new Map<number, RowFailure>()
  /** By value: what is sent instead of its bytes. */
  #literals = new Map<number, Buffer>()
  #valueBytes = 0
  /** Of the rows before the last one. */
  #earlierValueBytes = 0

  constructor(limits: BatchLimits, rowsBefore: number, spelling: Spelling) {
    this.#limits = limits
    this.#firstNumber = rowsBefore + 1
    this.#spelling = spelling
  }

  /** The start of the next row. */
  get size(): number {
    return this.#ends.at(-1) ?? 0
  }

  /** The number of the next row. */
  get nextNumber(): number {
    return this.#firstNumber + this.#ends.length
  }

  /** @param literal what is sent instead of the bytes `[start, end)`, when they differ */
  addValue(start: number, end: number, nameIndexes: readonly number[], literal?: ByteString): void {
    if (literal !== undefined) this.#literals.set(this.#spanStarts.length, bytesOf(literal))
    this.#spanStarts.push(start)
    this.#spanEnds.push(end)
    this.#nameIndexes.push(nameIndexes)
    this.#valueBytes += (literal?.length ?? end - start + 2) + 1
  }

  /** Adds the row that ends there, with the values added since the previous one. */
  addRow(end: number): void {
    this.#ends.push(end)
    this.#valueCounts.push(this.#spanStarts.length)
  }

  /** Adds the row that ends there, without values. */
  addBrokenRow(end: number, problem: RowFailure): void {
    this.#problems.set(this.#ends.length, problem)
    this.addRow(end)
  }

  /**
   * Returns a batch that is full, or that the last row makes too large: that row is then in the next one. Call it after
   * each row.
   *
   * @returns null when there is room for more
   */
  takeDue(block: Buffer<ArrayBuffer>): TableRows | null {
    const rows = this.#ends.length
    const { maxRows, maxValues, maxValueBytes, maxRowBytes } = this.#limits
    const isOver =
      this.#spanStarts.length > maxValues || this.#valueBytes > maxValueBytes || this.size > maxRowBytes
    if (isOver && rows > 1) return this.#take(block, rows - 1)
    if (isOver || rows === maxRows) return this.#take(block, rows)
    this.#earlierValueBytes = this.#valueBytes
    return null
  }

  /** Returns all remaining rows; null when there are none. */
  takeRest(block: Buffer<ArrayBuffer>): TableRows | null {
    return this.#ends.length === 0 ? null : this.#take(block, this.#ends.length)
  }

  /** Returns the next row alone, which is too large to keep. No row may remain before it. */
  takeSkipped(sizeBytes: number, problem: RowFailure): TableRows {
    this.addBrokenRow(0, problem)
    return { ...this.#take(NO_BYTES, 1), skippedBytes: sizeBytes }
  }

  #take(block: Buffer<ArrayBuffer>, rows: number): TableRows {
    const size = this.#ends[rows - 1] ?? 0
    const values = this.#valueCounts[rows - 1] ?? 0
    const taken: TableRows = {
      firstNumber: this.#firstNumber,
      bytes: block.subarray(0, size),
      ends: cut(this.#ends, rows),
      valueCounts: cut(this.#valueCounts, rows),
      values: this.#writeValues(block, values),
      spanStarts: cut(this.#spanStarts, values),
      spanEnds: cut(this.#spanEnds, values),
      nameIndexes: cut(this.#nameIndexes, values),
      problems: cutMap(this.#problems, rows),
      skippedBytes: 0,
    }
    this.#begin(rows, values, size)
    return taken
  }

  /** Starts the next batch with what follows the rows that were taken. */
  #begin(rows: number, values: number, size: number): void {
    this.#firstNumber += rows
    this.#ends = this.#ends.slice(rows).map((end) => end - size)
    this.#valueCounts = this.#valueCounts.slice(rows).map((count) => count - values)
    this.#spanStarts = this.#spanStarts.slice(values).map((start) => start - size)
    this.#spanEnds = this.#spanEnds.slice(values).map((end) => end - size)
    this.#nameIndexes = this.#nameIndexes.slice(values)
    this.#problems = restOfMap(this.#problems, rows)
    this.#literals = restOfMap(this.#literals, values)
    this.#valueBytes = this.#ends.length === 0 ? 0 : this.#valueBytes - this.#earlierValueBytes
    this.#earlierValueBytes = this.#valueBytes
  }

  #writeValues(block: Buffer, count: number): ValuesDocument {
    if (count === 0) return NO_VALUES
    const quotes = this.#spelling === "unquoted"
    let size = 1
    for (let index = 0; index < count; index++) {
      const length = (this.#spanEnds[index] ?? 0) - (this.#spanStarts[index] ?? 0)
      size += (this.#literals.get(index)?.length ?? length + (quotes ? 2 : 0)) + 1
    }
    const bytes = Buffer.allocUnsafeSlow(size)
    const starts: number[] = []
    const ends: number[] = []
    let at = 0
    for (let index = 0; index < count; index++) {
      bytes[at++] = index === 0 ? OPEN_BRACKET : COMMA
      starts.push(at)
      const literal = this.#literals.size === 0 ? undefined : this.#literals.get(index)
      if (literal !== undefined) at = copyBytes(literal, 0, literal.length, bytes, at)
      else {
        if (quotes) bytes[at++] = QUOTE
        at = copyBytes(block, this.#spanStarts[index] ?? 0, this.#spanEnds[index] ?? 0, bytes, at)
        if (quotes) bytes[at++] = QUOTE
      }
      ends.push(at)
    }
    bytes[at] = CLOSE_BRACKET
    return { bytes, starts, ends }
  }
}

/** Returns the first items; the list itself if that is all of them. */
function cut<Item>(items: Item[], count: number): readonly Item[] {
  return count === items.length ? items : items.slice(0, count)
}

function cutMap<Item>(items: Map<number, Item>, end: number): ReadonlyMap<number, Item> {
  return new Map([...items].filter(([index]) => index < end))
}

function restOfMap<Item>(items: Map<number, Item>, from: number): Map<number, Item> {
  return new Map([...items].filter(([index]) => index >= from).map(([index, item]) => [index - from, item]))
}
