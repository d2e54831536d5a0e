import { type ContentKey, contentKeyBytes, contentKeyOf } from "@sealway/tokens"

/** A content key, and the marks of the honey tokens that may have been sealed with it, see `honeyMarks`. */
export interface KeptKey {
  readonly contentKey: ContentKey
  readonly honeyMarks: string
}

/**
 * The content keys with which a key version has opened values, so that values of the same ephemeral key need no further
 * key agreement. They reveal less than the private key beside them, and never more than it.
 */
export interface ContentKeys {
  /** @param id from `contentKeyId` */
  get(id: string): KeptKey | undefined
  /** @param key one that has just opened a value. A key that was not authenticated by a tag must never be kept */
  keep(id: string, key: KeptKey): void
}

/** The content keys of all open key versions of a process: bounded in total, per app, and in age. */
export interface ContentKeyStore {
  /** Returns an empty set of keys for a key version that has just been opened. */
  forVersion(appId: string): ContentKeys
}

export interface ContentKeyStoreOptions {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** How long a key version stays open. Its content keys are dropped when it is closed. */
  readonly maxAgeMs: number
  /** One app can keep so many. Default: 10,000, which take about 4 MB. */
  readonly maxPerApp?: number
  /** All apps together can keep so many. Default: 40,000. */
  readonly maxTotal?: number
}

const DEFAULT_MAX_PER_APP = 10_000
const DEFAULT_MAX_TOTAL = 40_000
/**
 * So many are there as key objects too, of all apps together: those that were used last, as far as it costs nothing to
 * know. The garbage collector frees key objects of earlier requests, other than bytes, only with the old generation.
 */
const MAX_KEY_OBJECTS = 1_000
/** Room is made for a part of an app's keys: a hundredth. */
const EVICTIONS = 100

interface KeptBytes {
  readonly bytes: Buffer
  readonly honeyMarks: string
  /** What the bytes are as an object. Null when it is to be made. */
  object: KeptKey | null
}

/** The keys of one version, least recently used first. */
interface KeptKeys {
  readonly appId: string
  readonly openedAtMs: number
  readonly keys: Map<string, KeptBytes>
  /** The last in order: repeated use of it needs no move. */
  newest: string | null
}

export function createContentKeyStore({
  now,
  maxAgeMs,
  maxPerApp = DEFAULT_MAX_PER_APP,
  maxTotal = DEFAULT_MAX_TOTAL,
}: ContentKeyStoreOptions): ContentKeyStore {
  /** Those that have keys, in the order in which they got their first one. */
  const versions = new Set<KeptKeys>()
  const countsByApp = new Map<string, number>()
  /** Those that have an object, oldest object first. */
  const withObjects = new Set<KeptBytes>()
  let total = 0

  function count(appId: string, change: number): void {
    const ofApp = (countsByApp.get(appId) ?? 0) + change
    if (ofApp === 0) countsByApp.delete(appId)
    else countsByApp.set(appId, ofApp)
    total += change
  }

  function drop(version: KeptKeys): void {
    count(version.appId, -version.keys.size)
    for (const kept of version.keys.values()) wipe(kept)
    version.keys.clear()
    versions.delete(version)
  }

  function wipe(kept: KeptBytes): void {
    kept.bytes.fill(0)
    kept.object = null
    withObjects.delete(kept)
  }

  function objectOf(kept: KeptBytes): KeptKey {
    if (kept.object !== null) return kept.object
    kept.object = { contentKey: contentKeyOf(kept.bytes), honeyMarks: kept.honeyMarks }
    withObjects.add(kept)
    if (withObjects.size > MAX_KEY_OBJECTS) {
      const [oldest] = withObjects
      if (oldest !== undefined) oldest.object = null
      if (oldest !== undefined) withObjects.delete(oldest)
    }
    return kept.object
  }

  /** Evicts many at once: a Map looks for its first key among the places of all that were deleted before it. */
  function evictOldest(version: KeptKeys | undefined): void {
    if (version === undefined) return
    const before = version.keys.size
    let left = Math.ceil(maxPerApp / EVICTIONS)
    for (const [oldest, kept] of version.keys) {
      if (left-- === 0) break
      wipe(kept)
      version.keys.delete(oldest)
    }
    count(version.appId, version.keys.size - before)
    if (version.keys.size === 0) versions.delete(version)
  }

  /** Makes room for one more key of a version. */
  function makeRoom(version: KeptKeys): void {
    const { appId } = version
    if ((countsByApp.get(appId) ?? 0) >= maxPerApp) {
      const ofApp = () => [...versions].find((each) => each.appId === appId)
      evictOldest(version.keys.size > 0 ? version : ofApp())
    }
    if (total >= maxTotal) {
      const [first] = versions
      evictOldest(first)
    }
  }

  return {
    forVersion(appId) {
      for (const version of versions) if (now() - version.openedAtMs >= maxAgeMs) drop(version)
      const version: KeptKeys = { appId, openedAtMs: now(), keys: new Map(), newest: null }
      return {
        get(id) {
          const kept = version.keys.get(id)
          if (kept === undefined) return undefined
          if (id !== version.newest) {
            version.keys.delete(id)
            version.keys.set(id, kept)
            version.newest = id
          }
          return objectOf(kept)
        },
        keep(id, { contentKey, honeyMarks }) {
          const before = version.keys.get(id)
          if (before === undefined) {
            makeRoom(version)
            versions.add(version)
            count(appId, 1)
          } else {
            wipe(before)
            version.keys.delete(id)
          }
          version.keys.set(id, { bytes: contentKeyBytes(contentKey), honeyMarks, object: null })
          version.newest = id
        },
      }
    },
  }
}
