import type { Work } from "../work/work.ts"
import { joinChunksInSteps } from "./join-chunks.ts"

/** Smaller chunks are joined. Node.js needs about 200 bytes for each in addition to its content. */
const SMALL_BYTES = 4096
const FIRST_BLOCK_BYTES = 512
const MAX_BLOCK_BYTES = 4 * SMALL_BYTES
const NO_BLOCK = Buffer.alloc(0)

/**
 * Collects bytes that arrive in chunks, using memory in proportion to their size: a sender of one-byte chunks would
 * otherwise cause two hundred times as much.
 */
export class ChunkList {
  readonly #chunks: Buffer[] = []
  /** Small chunks are copied into this. The part before `#start` is already among the chunks. */
  #block = NO_BLOCK
  #start = 0
  #end = 0

  add(chunk: Buffer): void {
    // The first one is usually the only one.
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

  /** The only chunk, if there is one only; null otherwise. */
  get only(): Buffer | null {
    const [first = null] = this.#chunks
    return this.#chunks.length === 1 && this.#end === this.#start ? first : null
  }

  /** Returns the collected chunks in order. The caller owns the array. */
  chunks(): Buffer[] {
    this.#closeView()
    return [...this.#chunks]
  }

  /** Joins the collected chunks, in steps. A single chunk is not copied. */
  join(): Work<Buffer> {
    return joinChunksInSteps(this.chunks())
  }

  #closeView(): void {
    if (this.#end === this.#start) return
    this.#chunks.push(this.#block.subarray(this.#start, this.#end))
    this.#start = this.#end
  }
}
