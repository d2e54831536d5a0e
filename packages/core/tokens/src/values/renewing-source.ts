/** Hands out keys, and replaces the last one when it is too old or used up. */
export interface RenewingSource<Key> {
  /**
   * Returns the key to seal the next values with. Ask for every request: a key that you keep is never renewed.
   *
   * @param values how many values are going to be sealed with it. Default: 1
   */
  current(values?: number): Key
}

/** When a key is renewed. */
export interface Renewal {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** How long a key is handed out. Default: 60,000. */
  readonly maxAgeMs?: number
  /** How many values a key is handed out for. Default: 2^20. A request for more gets a separate key. */
  readonly maxUses?: number
}

const DEFAULT_MAX_AGE_MS = 60_000
const DEFAULT_MAX_USES = 2 ** 20

interface HandedOut<Key> {
  readonly key: Key
  readonly createdAtMs: number
  uses: number
}

/** Creates a source of keys that a function creates. */
export function createRenewingSource<Key>(
  createKey: () => Key,
  { now, maxAgeMs = DEFAULT_MAX_AGE_MS, maxUses = DEFAULT_MAX_USES }: Renewal,
): RenewingSource<Key> {
  let last: HandedOut<Key> | null = null

  return {
    current(values = 1) {
      const nowMs = now()
      if (last === null || !isFresh(last.createdAtMs, nowMs, maxAgeMs) || last.uses + values > maxUses) {
        last = { key: createKey(), createdAtMs: nowMs, uses: 0 }
      }
      last.uses += values
      return last.key
    },
  }
}

/** False when the clock went backwards: the age of the key is then unknown. */
function isFresh(createdAtMs: number, nowMs: number, maxAgeMs: number): boolean {
  return nowMs >= createdAtMs && nowMs - createdAtMs < maxAgeMs
}
