const EMPTY: Buffer = Buffer.alloc(0)
const SMALLEST_BYTES = 1_024

/**
 * Bytes that have come and are not used yet, in one piece. A byte is copied a few times at most, however small the
 * chunks are that it comes in, and not at all when everything before it has been taken. What has been taken is never
 * written over.
 */
export class ByteQueue {
  #bytes = EMPTY
  /** What `bytes` is the end of, up to `#end`; empty when `bytes` is a chunk as it came. */
  #room = EMPTY
  #end = 0

  get bytes(): Buffer {
    return this.#bytes
  }

  append(chunk: Buffer): void {
    if (this.#bytes.length === 0) {
      this.#bytes = chunk
      this.#room = EMPTY
      this.#end = 0
      return
    }
    const length = this.#bytes.length + chunk.length
    if (this.#end + chunk.length > this.#room.length) {
      this.#room = Buffer.allocUnsafe(Math.max(SMALLEST_BYTES, length + this.#bytes.length))
      this.#bytes.copy(this.#room)
      this.#end = this.#bytes.length
    }
    chunk.copy(this.#room, this.#end)
    this.#end += chunk.length
    this.#bytes = this.#room.subarray(this.#end - length, this.#end)
  }

  /** Takes bytes off the front. */
  take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length)
    this.#bytes = this.#bytes.subarray(length)
    return taken
  }
}
