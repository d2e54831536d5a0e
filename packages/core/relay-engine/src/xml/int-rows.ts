import type { BodyMemory } from "../body/body-memory.ts"
import { UnreadableBodyError } from "../body/located-body.ts"

const FIRST_ROWS = 256

/** Rows of a few integers each, in one array: a document of megabytes has hundreds of thousands. */
export class IntRows {
  readonly #columns: number
  readonly #maxRows: number
  readonly #memory: BodyMemory
  #cells: Int32Array
  #rows = 0

  constructor(columns: number, maxRows: number, memory: BodyMemory) {
    this.#columns = columns
    this.#maxRows = maxRows
    this.#memory = memory
    this.#cells = new Int32Array(columns * FIRST_ROWS)
  }

  get length(): number {
    return this.#rows
  }

  /**
   * Adds a row of zeros.
   *
   * @returns its number
   * @throws UnreadableBodyError `too-large` when there are too many
   */
  add(): number {
    if (this.#rows === this.#maxRows) {
      throw new UnreadableBodyError(
        "too-large",
        "The XML document has too many elements, attributes and texts.",
      )
    }
    if ((this.#rows + 1) * this.#columns > this.#cells.length) {
      this.#memory.take(this.#cells.byteLength)
      const cells = new Int32Array(this.#cells.length * 2)
      cells.set(this.#cells)
      this.#cells = cells
    }
    return this.#rows++
  }

  get(row: number, column: number): number {
    return this.#cells[row * this.#columns + column] ?? 0
  }

  set(row: number, column: number, value: number): void {
    this.#cells[row * this.#columns + column] = value
  }
}
