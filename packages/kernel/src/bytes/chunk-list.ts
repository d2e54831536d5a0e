import type { Work } from "../work/work.ts"
import { joinChunksInSteps } from "./join-chunks.ts"

/** A smaller chunk is put together with others. Node.js keeps some 200 bytes for each besides what is in it. */
const SMALL_BYTES = 4096
const FIRST_BLOCK_BYTES = 512
const MAX_BLOCK_BYTES = 4 * SMALL_BYTES

/**
 * Collects bytes that come in chunks, in memory that stays in proportion to them: a sender who puts each byte in a chunk
 * of its own would otherwise have two hundred times as much kept.
 */
export class ChunkList {
  readonly #chunks: Buffer[] = []
  /** Small chunks are copied in here. What is before `#start` stands among the chunks. */
  #block = Buffer.alloc(0)
  #start = 0
  #end = 0

  add(chunk: Buffer): void {
    // The first is most often the only one.
    if (chunk.length >= SMALL_BYTES || (this.#chunks.length === 0 && this.#end === 0)) {
      this.#closeView()
      this.#chunks.push(chunk)
      return
    }
    if (chunk.length > this.#block.length - this.#end) {
      this.#closeView()
      const doubled = Math.min(2 * this.#block.length, MAX_BLOCK_BYTES)
      this.#block = Buffer.allocUnsafe(Math.max(doubled, FIRST_BLOCK_BYTES, chunk.length))
      this.#start = 0
      this.#end = 0
    }
    this.#end += chunk.copy(this.#block, this.#end)
  }

  /** What was collected, in its order. The array is the caller's. */
  chunks(): Buffer[] {
    this.#closeView()
    return [...this.#chunks]
  }

  /** What was collected, as one, in steps. A single chunk is not copied. */
  join(): Work<Buffer> {
    return joinChunksInSteps(this.chunks())
  }

  #closeView(): void {
    if (this.#end === this.#start) return
    this.#chunks.push(this.#block.subarray(this.#start, this.#end))
    this.#start = this.#end
  }
}
