import type { RecordSpan } from "./csv-records.ts"

/** The maximum of a BIN table. */
export const MAX_RECORDS = 5_000_000
/** A divisor of `MAX_RECORDS`. */
const RECORDS_PER_STEP = 10_000
/** Enough for the index of any record. */
const INDEX_BITS = 23n
const INDEX_MASK = (1n << INDEX_BITS) - 1n
/** Enough for the length of any record that is read. */
const LENGTH_BITS = 16n
const MAX_LENGTH = 0xffff

/** Creates a buffer that grows in place: unused capacity takes no memory. */
const growing = (bytesEach: number) =>
  new ArrayBuffer(bytesEach * RECORDS_PER_STEP, { maxByteLength: bytesEach * MAX_RECORDS })

/** The positions of records: 16 bytes per record. */
export class Places {
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
