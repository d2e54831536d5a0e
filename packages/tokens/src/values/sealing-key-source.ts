import { importAppPublicKey } from "../crypto/app-public-key.ts"
import { createSealingKeyToward, type SealingKey, type SealingKeyOptions } from "./sealing-key.ts"

/** Hands out sealing keys for one app key. */
export interface SealingKeySource {
  /**
   * Returns the key to seal the next values with. Ask for every request: a key that you keep is never renewed.
   *
   * @param values how many values are going to be sealed with it. Default: 1
   */
  current(values?: number): SealingKey
}

/** When a key is renewed. */
export interface SealingKeyRenewal {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** How long a key is handed out. Default: 60,000. */
  readonly maxAgeMs?: number
  /** How many values a key is handed out for. Default: 2^20. A request for more gets a separate key. */
  readonly maxUses?: number
}

export interface SealingKeySourceOptions extends SealingKeyOptions, SealingKeyRenewal {}

const DEFAULT_MAX_AGE_MS = 60_000
const DEFAULT_MAX_USES = 2 ** 20

interface HandedOut {
  readonly key: SealingKey
  readonly createdAtMs: number
  uses: number
}

/**
 * Creates a source that reuses a sealing key until it is too old or used up, whichever comes first. Callers who seal a
 * value or two do not need a new key pair for each, and opening these values does not need an ECDH for each.
 *
 * @throws TypeError when the app's key is not a compressed point of P-256
 */
export function createSealingKeySource({
  appPublicKey,
  debug,
  ...renewal
}: SealingKeySourceOptions): SealingKeySource {
  const app = importAppPublicKey(appPublicKey)
  return createRenewingSource(() => createSealingKeyToward(app, debug), renewal)
}

/** Creates a source of keys that a function creates. */
export function createRenewingSource(
  createKey: () => SealingKey,
  { now, maxAgeMs = DEFAULT_MAX_AGE_MS, maxUses = DEFAULT_MAX_USES }: SealingKeyRenewal,
): SealingKeySource {
  let last: HandedOut | null = null

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
