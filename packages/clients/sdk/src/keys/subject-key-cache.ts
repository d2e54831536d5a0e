import { ConnectionError } from "../errors/errors.ts"
import type { ApiAnswer } from "../requests/transport.ts"
import type { SubjectKey } from "../sealing/subject-key.ts"
import { readSubjectKey } from "./read-subject-key.ts"

/** For so long, values may still be sealed for a data subject that is erased. Nothing opens them. */
const MAX_AGE_MS = 5_000
const MAX_SUBJECTS = 1_000

export interface SubjectKeyCacheOptions {
  readonly appId: string
  /** Asks the service. */
  readonly fetchKey: (dataSubject: string) => Promise<ApiAnswer>
  /** A clock, in milliseconds. */
  readonly now: () => number
  /** Whether callers may wait for a request of another caller, see `AppKeyCacheOptions`. */
  readonly isShared: boolean
}

interface CachedKey {
  readonly key: Promise<SubjectKey>
  readonly askedAtMs: number
}

/**
 * Keeps the public keys of the data subjects that were asked for last, at most 1,000, for 5 seconds each. An older one is
 * never used, even if the service cannot be asked: its data subject may be erased.
 */
export function createSubjectKeyCache({
  appId,
  fetchKey,
  now,
  isShared,
}: SubjectKeyCacheOptions): (dataSubject: string) => Promise<SubjectKey> {
  const kept = new Map<string, CachedKey>()

  const load = async (dataSubject: string): Promise<SubjectKey> => {
    const { content } = await fetchKey(dataSubject)
    const key = readSubjectKey(content, appId)
    if (key === null) throw new ConnectionError("unexpected-response", "The answer has no public key.")
    return key
  }
  const keep = (dataSubject: string, cached: CachedKey) => {
    const [oldest] = kept.keys()
    if (kept.size >= MAX_SUBJECTS && oldest !== undefined) kept.delete(oldest)
    kept.set(dataSubject, cached)
  }

  return async (dataSubject) => {
    const askedAtMs = now()
    const known = kept.get(dataSubject)
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : askedAtMs - known.askedAtMs
    if (known !== undefined && ageMs >= 0 && ageMs < MAX_AGE_MS) return known.key
    kept.delete(dataSubject)
    const cached = { key: load(dataSubject), askedAtMs }
    if (isShared) keep(dataSubject, cached)
    try {
      const key = await cached.key
      if (!isShared) keep(dataSubject, cached)
      return key
    } catch (error) {
      if (kept.get(dataSubject) === cached) kept.delete(dataSubject)
      throw error
    }
  }
}
