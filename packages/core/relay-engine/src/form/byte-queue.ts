const EMPTY: Buffer = Buffer.alloc(0)
const SMALLEST_BYTES = 1_024

/**
 * Received bytes that are not consumed yet, contiguously. A byte is copied only a few times, however small the chunks
 * are, and not at all when everything before it was consumed. Consumed bytes are never overwritten.
 */
export class ByteQueue {
  #bytes = EMPTY
  /** The buffer that `bytes` is the end of, up to `#end`; empty when `bytes` is a received chunk. */
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

  /** Takes bytes from the front. */
  take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length)
    this.#bytes = this.#bytes.subarray(length)
    return taken
  }
}
