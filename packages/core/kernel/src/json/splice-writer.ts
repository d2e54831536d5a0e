import { copyInSteps } from "../bytes/join-chunks.ts"
import type { Work } from "../work/work.ts"
import { endOfPlainText } from "./scan-json.ts"
import { writeJsonString } from "./write-json-string.ts"

const QUOTE = 0x22

/** From this size on, bytes are copied in steps. */
const LARGE_BYTES = 65_536
/** Up to this size, a loop copies faster than a call. */
const FEW_BYTES = 32
/** Up to this size, a text is looked through for what must be escaped. */
const SHORT_BYTES = 256

/** Writes a document with parts of it replaced, in order. Everything between them stays byte for byte. */
export class SpliceWriter {
  /** What is written, up to `at`. Ask for it again after each call, which may replace it. */
  target: Buffer
  at = 0
  readonly #source: Buffer
  #from = 0

  /** @param bytes how large the result will be. It may become larger: then it is copied */
  constructor(source: Buffer, bytes: number) {
    this.#source = source
    this.target = Buffer.allocUnsafe(bytes)
  }

  /**
   * Keeps everything of the document up to `start`, and leaves out what is from there to `end`. What is written next takes
   * its place.
   *
   * @returns the work if there is much to keep
   */
  replace(start: number, end: number): Work<void> | null {
    const from = this.#from
    this.#from = end
    if (start - from >= LARGE_BYTES) return this.#keepInSteps(from, start)
    this.#keep(this.#source, from, start)
    return null
  }

  /** Makes `target` large enough for so many more bytes. */
  makeRoom(bytes: number): void {
    const needed = this.at + bytes
    if (needed <= this.target.length) return
    // All that may still be kept fits too. Doubling would leave twice the memory with an answer that is hardly larger.
    const rest = this.#source.length - this.#from
    const larger = Buffer.allocUnsafe(needed + rest + Math.max(rest, needed >>> 3))
    this.target.copy(larger, 0, 0, this.at)
    this.target = larger
  }

  write(text: string | Buffer): void {
    if (typeof text !== "string") this.#keep(text, 0, text.length)
    else {
      const bytes = Buffer.byteLength(text)
      this.makeRoom(bytes)
      // ASCII has the same bytes in Latin-1, which is faster to write.
      this.at += this.target.write(text, this.at, bytes === text.length ? "latin1" : "utf8")
    }
  }

  /** Writes the pieces of a large text: in UTF-8, or as strings that do not end within a surrogate pair. */
  *writePieces(pieces: readonly (string | Buffer)[]): Work<void> {
    // Room for all at once, so that what is written is copied only once.
    this.makeRoom(pieces.reduce((bytes, piece) => bytes + Buffer.byteLength(piece), 0))
    for (const piece of pieces) {
      yield
      if (typeof piece === "string") this.write(piece)
      else {
        this.makeRoom(piece.length)
        this.at += yield* copyInSteps(piece, this.target, this.at)
      }
    }
  }

  /** Writes a text, given in UTF-8, as a JSON string. Returns the work if it is large. */
  writeJsonString(text: Buffer): Work<void> | null {
    if (text.length <= SHORT_BYTES && endOfPlainText(text, 0, text.length) === text.length) {
      this.makeRoom(text.length + '""'.length)
      this.target[this.at++] = QUOTE
      this.#keep(text, 0, text.length)
      this.target[this.at++] = QUOTE
      return null
    }
    const literal = writeJsonString(text)
    if (typeof literal !== "string") return this.#writeLarge(literal)
    this.write(literal)
    return null
  }

  /** Keeps the rest of the document. @returns the result */
  *end(): Work<Buffer> {
    const { length } = this.#source
    const rest = this.replace(length, length)
    if (rest !== null) yield* rest
    const written = this.target.subarray(0, this.at)
    // Whoever keeps the result keeps all of the target, and an answer counts only with its length.
    if (this.target.length < LARGE_BYTES || this.target.length - this.at <= this.at >>> 3) return written
    const result = Buffer.allocUnsafe(this.at)
    yield* copyInSteps(written, result, 0)
    return result
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    this.makeRoom(end - start)
    if (end - start > FEW_BYTES) bytes.copy(this.target, this.at, start, end)
    else copyFew(bytes, start, end, this.target, this.at)
    this.at += end - start
  }

  *#keepInSteps(start: number, end: number): Work<void> {
    this.makeRoom(end - start)
    this.at += yield* copyInSteps(this.#source.subarray(start, end), this.target, this.at)
  }

  *#writeLarge(literal: Work<readonly string[]>): Work<void> {
    yield* this.writePieces(yield* literal)
  }
}

function copyFew(source: Buffer, start: number, end: number, target: Buffer, at: number): void {
  const shift = at - start
  for (let index = start; index < end; index++) target[index + shift] = source[index] ?? 0
}
