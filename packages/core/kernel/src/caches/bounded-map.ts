export interface BoundedMap<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

/** Creates a map that evicts its least recently used entries beyond a maximum. */
export function createBoundedMap<Value>(maxEntries: number): BoundedMap<Value> {
  return new RecentEntries(maxEntries)
}

/** A class, because a request makes one of its own: a function would make three closures each time. */
class RecentEntries<Value> implements BoundedMap<Value> {
  readonly #maxEntries: number
  readonly #entries = new Map<string, Value>()
  /** The last in order: repeated use of it needs no move. */
  #newest: string | null = null

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined && key !== this.#newest) this.set(key, value)
    return value
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    this.#newest = key
    if (this.#entries.size <= this.#maxEntries) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }

  delete(key: string): void {
    this.#entries.delete(key)
    if (key === this.#newest) this.#newest = null
  }
}
