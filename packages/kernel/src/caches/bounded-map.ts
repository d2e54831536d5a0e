export interface BoundedMap<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

/** A map that forgets what was longest not asked for, beyond a number of entries. */
export function createBoundedMap<Value>(maxEntries: number): BoundedMap<Value> {
  const entries = new Map<string, Value>()
  /** The last in order: what is asked for again and again need not be moved there. */
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
