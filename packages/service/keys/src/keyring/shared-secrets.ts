import { andThen, createCache, type MaybePromise } from "@sealway/kernel"
import { InvalidTokenError } from "@sealway/tokens"

/** Returns the shared secret with an ephemeral key. @throws InvalidTokenError when it is not a point of the curve */
export type SharedSecrets = (ephemeralPublicKey: Uint8Array) => MaybePromise<Buffer>

export interface SharedSecretsOptions {
  /** Asks KMS. Null: the ephemeral key is not a point of the curve. */
  readonly agree: (ephemeralPublicKey: Uint8Array) => Promise<Buffer | null>
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

/** About 300 bytes each. */
const MAX_SECRETS = 2_000
const TTL_MS = 2 * 60_000

/**
 * Keeps the shared secrets of one key version, so that KMS is asked once for the values of an ephemeral key, also when
 * requests ask at the same time, and also when the secret opened nothing. They go with the key version. What KMS failed
 * to answer is not kept.
 */
export function createSharedSecrets({ agree, now }: SharedSecretsOptions): SharedSecrets {
  const secrets = createCache<Buffer>({ maxEntries: MAX_SECRETS, ttlMs: TTL_MS, now })
  return (ephemeralPublicKey) => {
    const ephemeral = Buffer.from(ephemeralPublicKey)
    const found = secrets.get(ephemeral.toString("base64"), () => agree(ephemeral))
    return andThen(found, (secret) => {
      if (secret === null) throw new InvalidTokenError()
      return secret
    })
  }
}
