const BLOCK_BYTES = 64 * 1024

/**
 * Bytes kept in memory in blocks of one size. What comes in is copied: chunks of a byte each would otherwise take
 * a hundred times their size, and whoever sent them could change them after they were checked.
 */
export class ByteSpool {
  readonly #blocks: Buffer[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  append(chunk: Uint8Array): void {
    for (let taken = 0; taken < chunk.length; ) {
      const used = this.#length % BLOCK_BYTES
      if (used === 0) this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES))
      const part = chunk.subarray(taken, taken + BLOCK_BYTES - used)
      this.#blocks.at(-1)?.set(part, used)
      this.#length += part.length
      taken += part.length
    }
  }

  /** The bytes from `start` to `end` as views, of at most 64 KiB each. */
  *views(start: number, end: number): Generator<Buffer, void, void> {
    for (let at = start; at < end; ) {
      const offset = at % BLOCK_BYTES
      const view = this.#blocks[(at - offset) / BLOCK_BYTES]?.subarray(offset, offset + end - at)
      if (view === undefined) throw new RangeError("The range ends behind the last byte")
      yield view
      at += view.length
    }
  }

  /** A copy of the bytes from `start` to `end`. */
  read(start: number, end: number): Buffer {
    return Buffer.concat([...this.views(start, end)])
  }
}
