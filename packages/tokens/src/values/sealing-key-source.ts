import { importAppPublicKey } from "../crypto/app-public-key.ts"
import { createRenewingSource, type Renewal, type RenewingSource } from "./renewing-source.ts"
import { createSealingKeyToward, type SealingKey, type SealingKeyOptions } from "./sealing-key.ts"

/** Hands out sealing keys for one app key. */
export type SealingKeySource = RenewingSource<SealingKey>

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
  return createRenewingSource(() => createSealingKeyToward(app, debug), renewal)
}
