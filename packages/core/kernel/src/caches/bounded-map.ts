export interface BoundedMap<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

/** Creates a map that evicts its least recently used entries beyond a maximum. */
export function createBoundedMap<Value>(maxEntries: number): BoundedMap<Value> {
  const entries = new Map<string, Value>()
  /** The last in order: repeated use of it needs no move. */
  let newest: string | null = null
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined || key === newest) return value
      entries.delete(key)
      entries.set(key, value)
      newest = key
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      newest = key
      if (entries.size <= maxEntries) return
      const [oldest] = entries.keys()
      if (oldest !== undefined) entries.delete(oldest)
    },
    delete(key) {
      entries.delete(key)
      if (key === newest) newest = null
    },
  }
}
