import { importAppPublicKey } from "../crypto/app-public-key.ts"
import { createSealingKeyToward, type SealingKey, type SealingKeyOptions } from "./sealing-key.ts"

/** Hands out sealing keys toward one app key. */
export interface SealingKeySource {
  /**
   * The key to seal the next values with. Ask anew for every request: a key that is kept does not get renewed.
   *
   * @param values how many values are going to be sealed with it, 1 unless given
   */
  current(values?: number): SealingKey
}

export interface SealingKeySourceOptions extends SealingKeyOptions {
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** How long a key is handed out. 1000 unless given. */
  readonly maxAgeMs?: number
  /** How many values a key is handed out for. 2^20 unless given. One request for more gets a key to itself. */
  readonly maxUses?: number
}

const DEFAULT_MAX_AGE_MS = 1000
const DEFAULT_MAX_USES = 2 ** 20

interface HandedOut {
  readonly key: SealingKey
  readonly createdAtMs: number
  uses: number
}

/**
 * Reuses a sealing key until it is too old or used up, whichever comes first. Spares callers who seal a value or two
 * the making of a key pair for each, and those who open the values an ECDH for each.
 *
 * @throws TypeError when the app's key is not a compressed point of P-256
 */
export function createSealingKeySource({
  appPublicKey,
  debug,
  now,
  maxAgeMs = DEFAULT_MAX_AGE_MS,
  maxUses = DEFAULT_MAX_USES,
}: SealingKeySourceOptions): SealingKeySource {
  const app = importAppPublicKey(appPublicKey)
  let last: HandedOut | null = null

  return {
    current(values = 1) {
      const nowMs = now()
      if (last === null || !isFresh(last.createdAtMs, nowMs, maxAgeMs) || last.uses + values > maxUses) {
        last = { key: createSealingKeyToward(app, debug), createdAtMs: nowMs, uses: 0 }
      }
      last.uses += values
      return last.key
    },
  }
}

/** A clock that went backwards says nothing about a key's age. */
function isFresh(createdAtMs: number, nowMs: number, maxAgeMs: number): boolean {
  return nowMs >= createdAtMs && nowMs - createdAtMs < maxAgeMs
}
