import { isUtf8 } from "node:buffer"
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { KB } from "@sealway/kernel"
import { reasonOf } from "../files/read-input.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { cellOf, cellsOf, RecordScanner, type RecordSpan } from "./scan-records.ts"

const CHUNK_BYTES = 256 * KB
const MAX_RECORD_BYTES = 16 * KB
/** The maximum of a BIN table. */
const MAX_RECORDS = 5_000_000
const BYTE_ORDER_MARK = "\ufeff"
const LONGEST_PREFIX = 10
/** A divisor of `MAX_RECORDS`. */
const RECORDS_PER_STEP = 10_000
/** Enough for the index of any record. */
const INDEX_BITS = 23n
const INDEX_MASK = (1n << INDEX_BITS) - 1n
/** Enough for the length of any record that is read. */
const LENGTH_BITS = 16n
const MAX_LENGTH = 0xffff

/**
 * A CSV file of ranges, with the positions of its records in the order that a BIN table requires. Only the positions
 * are in memory: 16 bytes per record.
 */
export interface IndexedFile {
  readonly columns: readonly string[]
  readonly size: number
  /**
   * Returns the cells of a record, by its position in the table's order.
   *
   * @throws UsageFailure when it does not match the header
   */
  cells(place: number): readonly string[]
  /** Returns the number of the record in the file at a position, from 1, without the header. */
  recordNumber(place: number): number
  close(): void
}

/**
 * Reads a file once, and sorts its records by `from`: by the lowest number of the range and, for equal ones, the
 * shorter prefix first.
 *
 * @throws UsageFailure when it cannot be read, or is not CSV with a `from` column
 */
export function indexFile(
  path: string,
  delimiter: string,
  onProgress: (records: number) => void,
): IndexedFile {
  const descriptor = open(path)
  try {
    return readIndex(descriptor, path, delimiter, onProgress)
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

function readIndex(
  descriptor: number,
  path: string,
  delimiter: string,
  onProgress: (records: number) => void,
): IndexedFile {
  const reader = createReader(descriptor)
  let header: readonly string[] | null = null
  let fromColumn = -1
  const places = new Places()
  const take = (span: RecordSpan) => {
    if (header === null) {
      header = headerOf(reader.text(span, "forward"), delimiter)
      fromColumn = header.indexOf("from")
      if (fromColumn === -1) throw new UsageFailure(`${path} has no column named from.`)
      return
    }
    if (places.size >= MAX_RECORDS) throw new UsageFailure(`${path} has more than 5,000,000 records.`)
    const from = cellOf(reader.text(span, "forward"), delimiter, fromColumn)
    places.add(span, sortKeyOf(from, places.size + 1))
    if (places.size % 50_000 === 0) onProgress(places.size)
  }
  scan(descriptor, take)
  if (header === null || places.size === 0) throw new UsageFailure(`${path} has no records.`)
  const columns: readonly string[] = header
  const isSorted = places.sort()
  return {
    columns,
    size: places.size,
    cells(place) {
      const text = reader.text(places.span(place), isSorted ? "forward" : "anywhere")
      return recordCells(text, delimiter, columns.length, places.recordNumber(place))
    },
    recordNumber: (place) => places.recordNumber(place),
    close: () => closeSync(descriptor),
  }
}

function scan(descriptor: number, take: (span: RecordSpan) => void): void {
  const scanner = new RecordScanner()
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let position = 0; ; ) {
    const bytes = readSync(descriptor, chunk, 0, chunk.length, position)
    if (bytes === 0) break
    position += bytes
    for (const span of scanner.scan(chunk.subarray(0, bytes))) take(span)
  }
  if (scanner.isOpen) throw new UsageFailure("The file ends inside a quoted cell.")
  const last = scanner.end()
  if (last !== null) take(last)
}

function headerOf(text: string, delimiter: string): readonly string[] {
  const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  const cells = cellsOf(plain, delimiter)
  if (cells === null) throw new UsageFailure("The header is not valid CSV.")
  const columns = cells.map((cell) => cell.trim())
  if (columns.some((column, index) => column !== "" && columns.indexOf(column) !== index)) {
    throw new UsageFailure("The header names a column twice.")
  }
  return columns
}

function recordCells(text: string, delimiter: string, columns: number, number: number): readonly string[] {
  const cells = cellsOf(text, delimiter)
  if (cells !== null && cells.length === columns) return cells
  throw new UsageFailure(`Record ${number} has a different number of cells than the header.`)
}

/** Sorts in the service's order. */
function sortKeyOf(from: string, number: number): number {
  if (!/^[0-9]{6,10}$/.test(from)) {
    throw new UsageFailure(`Record ${number}: from must be 6 to 10 digits.`)
  }
  return Number(from.padEnd(LONGEST_PREFIX, "0")) * 16 + from.length
}

/** Creates a buffer that grows in place: unused capacity takes no memory. */
const growing = (bytesEach: number) =>
  new ArrayBuffer(bytesEach * RECORDS_PER_STEP, { maxByteLength: bytesEach * MAX_RECORDS })

/** The positions of records: 16 bytes per record. */
class Places {
  size = 0
  #isInOrder = false
  /**
   * The sort key of a record with the record's index in its last bits, so that sorting needs no comparison function.
   */
  readonly #keys = new BigUint64Array(growing(8))
  /** The offset, and in the last bits the length; the longest stands for all that are too long. */
  readonly #spans = new BigUint64Array(growing(8))

  add({ offset, length }: RecordSpan, key: number): void {
    if (this.size === this.#spans.length) this.#grow()
    this.#keys[this.size] = (BigInt(key) << INDEX_BITS) | BigInt(this.size)
    this.#spans[this.size] = (BigInt(offset) << LENGTH_BITS) | BigInt(Math.min(length, MAX_LENGTH))
    this.size++
  }

  /** @returns whether the records were already in order */
  sort(): boolean {
    const keys = this.#keys.subarray(0, this.size)
    this.#isInOrder = keys.every((key, index) => index === 0 || (keys[index - 1] ?? 0n) <= key)
    // A place is an index then, and the memory is free.
    if (this.#isInOrder) this.#keys.buffer.resize(0)
    else keys.sort()
    return this.#isInOrder
  }

  span(place: number): RecordSpan {
    const span = this.#spans[this.#indexAt(place)] ?? 0n
    return { offset: Number(span >> LENGTH_BITS), length: Number(span & BigInt(MAX_LENGTH)) }
  }

  recordNumber(place: number): number {
    return this.#indexAt(place) + 1
  }

  #indexAt(place: number): number {
    return this.#isInOrder ? place : Number((this.#keys[place] ?? 0n) & INDEX_MASK)
  }

  #grow(): void {
    for (const { buffer, BYTES_PER_ELEMENT } of [this.#keys, this.#spans]) {
      buffer.resize(buffer.byteLength + BYTES_PER_ELEMENT * RECORDS_PER_STEP)
    }
  }
}

/** `forward`: the next ones are near. `anywhere`: they are not, so nothing is read ahead. */
type Access = "forward" | "anywhere"

function createReader(descriptor: number) {
  const window = Buffer.alloc(CHUNK_BYTES)
  let windowStart = 0
  let windowBytes = 0
  return {
    text({ offset, length }: RecordSpan, access: Access): string {
      if (length > MAX_RECORD_BYTES) throw new UsageFailure("A record is longer than 16 KB.")
      const isHere = offset >= windowStart && offset + length <= windowStart + windowBytes
      if (!isHere) {
        const wanted = access === "forward" ? window.length : length
        windowBytes = readSync(descriptor, window, 0, wanted, offset)
        windowStart = offset
        if (windowBytes < length) throw new UsageFailure("The file became shorter while it was being read.")
      }
      const bytes = window.subarray(offset - windowStart, offset - windowStart + length)
      // Names in another encoding would be imported as question marks.
      if (!isUtf8(bytes)) throw new UsageFailure(`The record at byte ${offset} is not UTF-8.`)
      return bytes.toString()
    },
  }
}

/** @throws UsageFailure when it is not a file that can be read twice */
function open(path: string): number {
  let descriptor: number
  try {
    descriptor = openSync(path, "r")
  } catch (error) {
    throw new UsageFailure(`${path} cannot be read${reasonOf(error)}.`, { cause: error })
  }
  if (fstatSync(descriptor).isFile()) return descriptor
  closeSync(descriptor)
  throw new UsageFailure(
    `${path} is not a regular file. An import reads its file twice, so it cannot read from a pipe.`,
  )
}
