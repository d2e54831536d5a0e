import { KB } from "@sealway/kernel"

/** A result of this size is small: it may arrive at any time. */
export const LARGE_RESULT_BYTES = 256 * KB

/** How many large ones arrive in this process at a time. */
const MAX_LARGE_RESULTS = 4

/**
 * Lets large results of functions into this process one after another: until then they stay in the processes that made
 * them. First come, first served.
 */
export class LargeResults {
  #places = MAX_LARGE_RESULTS
  readonly #waiting = new Set<() => void>()

  /**
   * Calls back once there is a place, which may be at once.
   *
   * @returns what gives up the place, or the wait for it; it may be called again
   */
  enter(admitted: () => void): () => void {
    let isIn = false
    let hasLeft = false
    const begin = () => {
      isIn = true
      this.#places -= 1
      admitted()
    }
    if (this.#places > 0) begin()
    else this.#waiting.add(begin)
    return () => {
      if (hasLeft) return
      hasLeft = true
      this.#waiting.delete(begin)
      if (!isIn) return
      this.#places += 1
      const [next] = this.#waiting
      if (next === undefined) return
      this.#waiting.delete(next)
      next()
    }
  }
}
