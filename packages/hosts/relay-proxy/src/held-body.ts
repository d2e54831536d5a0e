import { Readable } from "node:stream"

/** How much a connection gets at a time: at least as much as Node.js buffers before writers must wait. */
const PIECE_BYTES = 65_536

/**
 * A large body in memory, which is gone for everybody once it is sent: who sends it, undici and the head of its request
 * keep what they were given until the answer has ended, and a destination may take two minutes to end it.
 */
export class HeldBody {
  readonly length: number
  readonly #onGone: () => void
  #bytes: Buffer | null

  /** @param onGone called once */
  constructor(bytes: Buffer, onGone: () => void) {
    this.length = bytes.length
    this.#bytes = bytes
    this.#onGone = onGone
  }

  get isThere(): boolean {
    return this.#bytes !== null
  }

  /** Returns a stream of all of it. It ends early when the body is let go of. */
  read(): Readable {
    const stream = Readable.from(this.#pieces(), { objectMode: false })
    // It may break off before anyone listens, or after.
    return stream.on("error", () => {})
  }

  letGo(): void {
    if (this.#bytes === null) return
    this.#bytes = null
    this.#onGone()
  }

  *#pieces(): Generator<Buffer, void, void> {
    for (let at = 0; this.#bytes !== null && at < this.length; at += PIECE_BYTES) {
      const piece = this.#bytes.subarray(at, at + PIECE_BYTES)
      // A piece is a view, which keeps all of the body. A connection waits until a full one has left, but not for the rest.
      yield piece.length < PIECE_BYTES ? Buffer.from(piece) : piece
    }
  }
}
