import { UnwritableValueError } from "../unwritable-value-error.ts"
import { delimiterOf } from "./multipart-scanner.ts"

/**
 * Keeps what is put into a multipart body from ending its part: whoever chooses the boundary may choose one that is
 * in a decrypted value, and have that value write parts of its own. As in the scanner, a boundary counts at the
 * beginning of a line, whatever ends the one before.
 */
export class BoundaryGuard {
  readonly #lineStarts: readonly Buffer[]
  readonly #tailBytes: number
  /** The last bytes that passed: too few for a boundary. A part's headers end in a line feed. */
  #tail: Buffer = Buffer.from("\n")

  constructor(boundary: string) {
    const delimiter = delimiterOf(boundary)
    this.#lineStarts = ["\r", "\n"].map((end) => Buffer.concat([Buffer.from(end), delimiter]))
    this.#tailBytes = delimiter.length
  }

  /**
   * Looks at the next bytes of a part.
   *
   * @throws UnwritableValueError when they hold a boundary, or complete one
   */
  check(bytes: Buffer): void {
    const seam = Buffer.concat([this.#tail, bytes.subarray(0, this.#tailBytes)])
    if (this.#lineStarts.some((start) => seam.includes(start) || bytes.includes(start))) {
      throw new UnwritableValueError("A value that is put into a multipart body holds its boundary.")
    }
    // Copied: the chunk is somebody else's.
    const end = bytes.length >= this.#tailBytes ? bytes : seam
    this.#tail = Buffer.from(end.subarray(-this.#tailBytes))
  }
}
