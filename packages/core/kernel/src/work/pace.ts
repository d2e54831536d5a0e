/** This many bytes count as one more item. */
const BYTES_PER_ITEM = 2_048

/**
 * Tells a loop of a `Work` when to yield: after a number of items, and sooner when items are large.
 *
 *     const pace = new Pace(256)
 *     for (const value of values) {
 *       if (pace.isDue(value.length)) yield
 *       seal(value)
 *     }
 */
export class Pace {
  readonly #itemsPerStep: number
  #items = 0

  constructor(itemsPerStep: number) {
    this.#itemsPerStep = itemsPerStep
  }

  /**
   * Counts an item, and returns whether to yield before it.
   *
   * @param bytes the size of the item. Default: almost nothing
   */
  isDue(bytes = 0): boolean {
    this.#items += 1 + Math.floor(bytes / BYTES_PER_ITEM)
    if (this.#items <= this.#itemsPerStep) return false
    this.#items = 0
    return true
  }
}
