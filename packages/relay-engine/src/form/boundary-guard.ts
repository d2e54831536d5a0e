import { UnwritableValueError } from "../errors/unwritable-value-error.ts"
import { delimiterOf } from "./multipart-scanner.ts"

/**
 * Keeps what is put into a multipart body from ending its part: whoever chooses the boundary may choose one that is
 * in a decrypted value, and have that value write parts of its own. As in the scanner, a boundary counts wherever it
 * is: not all readers look for the line break before it.
 */
export class BoundaryGuard {
  readonly #delimiter: Buffer
  /** The last bytes that passed: too few for a boundary. */
  #tail: Buffer = Buffer.alloc(0)

  constructor(boundary: string) {
    this.#delimiter = delimiterOf(boundary)
  }

  /**
   * Looks at the next bytes of a part.
   *
   * @throws UnwritableValueError when they hold a boundary, or complete one
   */
  check(bytes: Buffer): void {
    const tailBytes = this.#delimiter.length - 1
    const seam = Buffer.concat([this.#tail, bytes.subarray(0, tailBytes)])
    if (seam.includes(this.#delimiter) || bytes.includes(this.#delimiter)) {
      throw new UnwritableValueError("A value that is put into a multipart body holds its boundary.")
    }
    // Copied: the chunk is somebody else's.
    const end = bytes.length >= tailBytes ? bytes : seam
    this.#tail = Buffer.from(end.subarray(-tailBytes))
  }
}
