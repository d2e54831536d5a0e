import { importAppPublicKey } from "../crypto/app-public-key.ts"
import { OneIv } from "../crypto/one-iv.ts"
import { createRenewingSource, type Renewal, type RenewingSource } from "./renewing-source.ts"
import { createSealingKeyToward, type SealingKey, type SealingKeyOptions } from "./sealing-key.ts"

/** Computes a mark of 12 bytes for a key segment. Without its secret, nobody can tell it from random bytes. */
export type MarkOf = (keySegment: Uint8Array) => Uint8Array

/** Hands out sealing keys for one app key. */
export interface SealingKeySource extends RenewingSource<SealingKey> {
  /**
   * Returns a key of its own for exactly one value, whose IV is the mark of its key segment. Only those who can
   * compute the mark can tell the token from any other.
   */
  marked(markOf: MarkOf): Pick<SealingKey, "seal">
}

export interface SealingKeySourceOptions extends SealingKeyOptions, Renewal {}

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
  return {
    ...createRenewingSource(() => createSealingKeyToward(app, debug), renewal),
    marked: (markOf) => createSealingKeyToward(app, debug, (keySegment) => new OneIv(markOf(keySegment))),
  }
}
