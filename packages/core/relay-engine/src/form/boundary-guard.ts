import { UnwritableValueError } from "../errors/unwritable-value-error.ts"
import { delimiterOf } from "./multipart-scanner.ts"

/**
 * Prevents inserted text from ending its multipart part: the sender who chooses the boundary may choose one that occurs
 * in a decrypted value, so that the value would start new parts. As in the scanner, a boundary counts anywhere: not all
 * parsers check for the line break before it.
 */
export class BoundaryGuard {
  readonly #delimiter: Buffer
  /** The last bytes that passed: too few for a boundary. */
  #tail: Buffer = Buffer.alloc(0)

  constructor(boundary: string) {
    this.#delimiter = delimiterOf(boundary)
  }

  /**
   * Checks the next bytes of a part.
   *
   * @throws UnwritableValueError when they contain a boundary, or complete one
   */
  check(bytes: Buffer): void {
    const tailBytes = this.#delimiter.length - 1
    const seam = Buffer.concat([this.#tail, bytes.subarray(0, tailBytes)])
    if (seam.includes(this.#delimiter) || bytes.includes(this.#delimiter)) {
      throw new UnwritableValueError("A new value contains the boundary of its multipart body.")
    }
    // Copied, because the caller owns the chunk.
    const end = bytes.length >= tailBytes ? bytes : seam
    this.#tail = Buffer.from(end.subarray(-tailBytes))
  }
}
