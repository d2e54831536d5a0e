const LARGE_BYTES = 16 * 1024
const MIN_BLOCK_BYTES = 256
const MAX_BLOCK_BYTES = 64 * 1024

/**
 * Bytes held in memory until they may be released. Large pieces are kept as they are. Small ones are copied together
 * into blocks that grow while small pieces keep coming: one-byte pieces would otherwise take a hundred times their
 * size.
 */
export class ByteStore {
  #blocks: Buffer[] = []
  /** The last block, which small pieces are copied into, and how much of it is used. */
  #open: { readonly block: Buffer; used: number } | null = null

  /** Takes ownership of the bytes: the caller must not change them afterwards. */
  append(bytes: Buffer): void {
    if (bytes.length >= LARGE_BYTES) {
      this.#close()
      this.#blocks.push(bytes)
      return
    }
    for (let taken = 0; taken < bytes.length; ) {
      const open = this.#openWithRoom()
      const part = bytes.subarray(taken, taken + open.block.length - open.used)
      open.block.set(part, open.used)
      open.used += part.length
      taken += part.length
    }
  }

  /** Replaces all bytes, piece by piece and in order. Each piece keeps its length. */
  replace(change: (piece: Buffer) => Buffer): void {
    this.#close()
    this.#blocks.forEach((block, index, blocks) => {
      blocks[index] = change(block)
    })
  }

  /** Yields the bytes in order and forgets each piece once it is yielded. */
  *drain(): Generator<Buffer, void, void> {
    this.#close()
    const blocks = this.#blocks.reverse()
    this.#blocks = []
    for (let block = blocks.pop(); block !== undefined; block = blocks.pop()) yield block
  }

  #openWithRoom(): { readonly block: Buffer; used: number } {
    const full = this.#open
    if (full !== null && full.used < full.block.length) return full
    const size = full === null ? MIN_BLOCK_BYTES : Math.min(2 * full.block.length, MAX_BLOCK_BYTES)
    const open = { block: Buffer.allocUnsafeSlow(size), used: 0 }
    this.#blocks.push(open.block)
    this.#open = open
    return open
  }

  #close(): void {
    if (this.#open === null) return
    this.#blocks[this.#blocks.length - 1] = this.#open.block.subarray(0, this.#open.used)
    this.#open = null
  }
}
