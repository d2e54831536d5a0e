import { LRUCache } from "lru-cache"
import type { MaybePromise } from "../work/maybe-promise.ts"

export interface CacheOptions<Value> {
  /** Found values kept at most; the least recently used goes first. As many absences are kept beside them. */
  readonly maxEntries: number
  /** How long a found value, or an absence, may be served. */
  readonly ttlMs: number
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** For values of very different sizes: what they may weigh together, and what one weighs, 1 or more. Default: no limit. */
  readonly weight?: { readonly max: number; readonly of: (value: Value) => number }
}

/** Null: there is no such thing, which is remembered too. What it throws is passed on and not remembered. */
export type Load<Value> = () => Promise<Value | null>

/** Bounded in size and age; overlapping loads of one key are one load. */
export interface Cache<Value> {
  /** The value of a key, from `load` unless it is known. All calls for a key are to give loads that are alike. */
  get(key: string, load: Load<Value>): MaybePromise<Value | null>
  /** What is being loaded meanwhile is not kept either: it may be older than the reason to forget. */
  forget(key: string): void
}

/**
 * Found values and absences are kept apart, so that a caller who asks for many things that do not exist
 * cannot push out the things that do.
 */
export function createCache<Value extends object>({
  maxEntries,
  ttlMs,
  now,
  weight,
}: CacheOptions<Value>): Cache<Value> {
  const limits = { max: maxEntries, ttl: ttlMs, perf: { now }, ttlResolution: 0 }
  // An LRUCache takes room for all that it may hold when it is made, which a cold start should not wait for.
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
            ...(weight && { maxSize: weight.max, sizeCalculation: weight.of }),
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
    forget(key) {
      hits?.delete(key)
      misses?.delete(key)
      loading.delete(key)
    },
  }
}
