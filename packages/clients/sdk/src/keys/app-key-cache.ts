import { ApiError, ConnectionError } from "../errors/errors.ts"
import type { AnswerHeaders, ApiAnswer } from "../requests/transport.ts"
import type { AppKey } from "../sealing/sealer.ts"

const DEFAULT_MAX_AGE_MS = 60_000
const LONGEST_MAX_AGE_MS = 3_600_000
/** How long an outdated key still serves while the service cannot be asked: the service opens what any of its keys seals. */
const LONGEST_OUTAGE_MS = 3_600_000

/** How long nobody asks again after that. */
const PAUSE_AFTER_OUTAGE_MS = 10_000

export interface AppKeyCacheOptions {
  readonly appId: string
  /** Asks the service. */
  readonly fetchKey: () => Promise<ApiAnswer>
  /** A clock, in milliseconds. */
  readonly now: () => number
  /**
   * Whether callers may wait for a request of another caller. Workers must not: their requests end with the event that
   * started them.
   */
  readonly isShared: boolean
}

interface CachedKey {
  readonly key: AppKey
  readonly fetchedAtMs: number
  readonly maxAgeMs: number
}

/**
 * Keeps the public key of an app for as long as the service's `Cache-Control` allows. While one caller fetches it again,
 * others use the old one; if it cannot be fetched, everyone does, for up to an hour, and one caller asks every ten seconds.
 */
export function createAppKeyCache({
  appId,
  fetchKey,
  now,
  isShared,
}: AppKeyCacheOptions): () => Promise<AppKey> {
  let cached: CachedKey | null = null
  let pending: Promise<CachedKey> | null = null
  let isRefreshing = false
  /** When the service could not be asked the last time. */
  let outageAtMs = Number.NEGATIVE_INFINITY

  const load = async (): Promise<CachedKey> => {
    const answer = await fetchKey()
    cached = { key: readAppKey(answer, appId), fetchedAtMs: now(), maxAgeMs: maxAgeOf(answer.headers) }
    return cached
  }
  const loadOnce = () => {
    if (!isShared) return load()
    pending ??= load().finally(() => {
      pending = null
    })
    return pending
  }
  const refresh = async (old: CachedKey): Promise<CachedKey> => {
    isRefreshing = true
    try {
      return await load()
    } catch (error) {
      if (!isOutage(error)) throw error
      outageAtMs = now()
      return old
    } finally {
      isRefreshing = false
    }
  }

  return async () => {
    if (cached === null) return (await loadOnce()).key
    const ageMs = now() - cached.fetchedAtMs
    if (ageMs >= 0 && ageMs < cached.maxAgeMs) return cached.key
    if (ageMs < 0 || ageMs >= cached.maxAgeMs + LONGEST_OUTAGE_MS) return (await loadOnce()).key
    const hasJustFailed = now() - outageAtMs < PAUSE_AFTER_OUTAGE_MS
    return isRefreshing || hasJustFailed ? cached.key : (await refresh(cached)).key
  }
}

/** Returns how long an answer is valid, from `max-age` and from the time that it has already spent in other caches. */
function maxAgeOf(headers: AnswerHeaders): number {
  const [, maxAge] = /(?:^|,)\s*max-age=(\d{1,9})\s*(?:,|$)/i.exec(headers.get("cache-control") ?? "") ?? []
  if (maxAge === undefined) return DEFAULT_MAX_AGE_MS
  const age = Number(headers.get("age") ?? 0)
  const leftMs = (Number(maxAge) - (age > 0 ? age : 0)) * 1000
  return Math.min(LONGEST_MAX_AGE_MS, Math.max(0, leftMs))
}

/** Whether the service could not answer, rather than having refused. */
function isOutage(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500 || error.status === 429
}

/**
 * Reads what `GET /keys` and `GET /{team_id}/apps/{app_id}` answer about an app.
 *
 * @throws ConnectionError if it is something else, or about another app
 */
function readAppKey({ content, headers }: ApiAnswer, appId: string): AppKey {
  const debug = headers.get("x-service-debug-mode")
  if (
    typeof content === "object" &&
    content !== null &&
    "appUuid" in content &&
    "ecdhP256KeyUncompressed" in content
  ) {
    const { appUuid, ecdhP256KeyUncompressed } = content
    // A cache that confuses answers must not let one customer's values be encrypted for another.
    if (appUuid !== appId)
      throw new ConnectionError("unexpected-response", "The answer is about another app.")
    // A wrong word must not turn the values of a production app into those of a sandbox app, or the reverse.
    if (typeof ecdhP256KeyUncompressed === "string" && (debug === "true" || debug === "false")) {
      return { ecdhP256KeyUncompressed, isSandbox: debug === "true" }
    }
  }
  throw new ConnectionError("unexpected-response", "The answer has no public key.")
}
