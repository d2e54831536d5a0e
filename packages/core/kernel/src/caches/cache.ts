import { LRUCache } from "lru-cache"
import type { MaybePromise } from "../work/maybe-promise.ts"

export interface CacheOptions<Value> {
  /**
   * The maximum number of found values; the least recently used is evicted first. The same number of absences is kept
   * separately.
   */
  readonly maxEntries: number
  /** How long a found value, or an absence, may be served. */
  readonly ttlMs: number
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /**
   * For values of very different sizes: their maximum total weight, and the weight of one, at least 1. Default: no
   * limit.
   */
  readonly weight?: { readonly max: number; readonly weigh: (value: Value) => number }
}

/** Returns null when there is nothing, which is remembered too. Errors are passed on and not remembered. */
export type Load<Value> = () => Promise<Value | null>

/** Bounded in size and age. Overlapping loads of one key are merged. */
export interface Cache<Value> {
  /** Returns the value of a key, loading it if unknown. All calls for a key must pass equivalent loads. */
  get(key: string, load: Load<Value>): MaybePromise<Value | null>
  /** Returns the value of a key if it is in memory; loads nothing. */
  peek(key: string): Value | undefined
  /** A load in progress is not kept either: it may be older than the reason to forget. */
  forget(key: string): void
}

/**
 * Creates a cache. Found values and absences are kept separately, so that a caller who asks for many things that do not
 * exist cannot evict the things that do.
 */
export function createCache<Value extends object>({
  maxEntries,
  ttlMs,
  now,
  weight,
}: CacheOptions<Value>): Cache<Value> {
  // With a weight, an LRUCache grows as it fills. With a number alone it allocates its full size at creation, which would
  // slow down the first request of a process.
  const limits = {
    maxSize: maxEntries,
    sizeCalculation: () => 1,
    ttl: ttlMs,
    perf: { now },
    ttlResolution: 0,
  }
  let hits: LRUCache<string, Value> | null = null
  let misses: LRUCache<string, true> | null = null
  const loading = new Map<string, Promise<Value | null>>()

  async function loadAndKeep(key: string, load: Load<Value>): Promise<Value | null> {
    const loaded = load()
    loading.set(key, loaded)
    const isWanted = () => loading.get(key) === loaded
    try {
      const value = await loaded
      if (isWanted()) {
        if (value === null) {
          misses ??= new LRUCache<string, true>(limits)
          misses.set(key, true)
        } else {
          hits ??= new LRUCache<string, Value>({
            ...limits,
            ...(weight && { max: maxEntries, maxSize: weight.max, sizeCalculation: weight.weigh }),
          })
          hits.set(key, value)
        }
      }
      return value
    } finally {
      if (isWanted()) loading.delete(key)
    }
  }

  return {
    get(key, load) {
      const hit = hits?.get(key)
      if (hit !== undefined) return hit
      if (misses?.has(key)) return null
      return loading.get(key) ?? loadAndKeep(key, load)
    },
    peek: (key) => hits?.get(key),
    forget(key) {
      hits?.delete(key)
      misses?.delete(key)
      loading.delete(key)
    },
  }
}
