/**
 * Open connections and listeners of all functions. Each takes one or two descriptors of this process, which also serves
 * everything else.
 */
const MAX_OF_ALL = 1_024

/** How many times as many as remain one function may have with all its instances, so that others always get some. */
const FUNCTION_FACTOR = 3

/** Counts what functions have open together. */
export class FunctionConnections {
  readonly #ofFunctions = new Map<string, number>()
  #all = 0

  /**
   * Counts one more of a function.
   *
   * @returns what ends it, which may be called again; null when there is no room
   */
  open(functionName: string): (() => void) | null {
    const own = (this.#ofFunctions.get(functionName) ?? 0) + 1
    if (own > FUNCTION_FACTOR * (MAX_OF_ALL - this.#all - 1)) return null
    this.#count(functionName, 1)
    let isOpen = true
    return () => {
      if (isOpen) this.#count(functionName, -1)
      isOpen = false
    }
  }

  #count(functionName: string, change: 1 | -1): void {
    this.#all += change
    const own = (this.#ofFunctions.get(functionName) ?? 0) + change
    if (own === 0) this.#ofFunctions.delete(functionName)
    else this.#ofFunctions.set(functionName, own)
  }
}
