import type { App } from "@sealway/accounts"
import { andThen, type MaybePromise } from "@sealway/kernel"
import type { SealingKeySource } from "@sealway/tokens"
import type { Keyring } from "./keyring.ts"

/** What `sealingKeysOf` needs. The part `public` is within the part `value`. */
export const SEALING_GRANTS = ["dynamodb:Query/keys", "kms:Decrypt/value"] as const

/**
 * Returns the keys that seal an app's new values: to its public key, or with its value key. Only for a symmetric app does
 * a process ever hold the value key.
 */
export function sealingKeysOf(keyring: Pick<Keyring, "newest">, app: App): MaybePromise<SealingKeySource> {
  return app.sealing === "symmetric"
    ? andThen(keyring.newest(app, "value"), ({ symmetric }) => symmetric.sealingKeys)
    : andThen(keyring.newest(app, "public"), ({ sealingKeys }) => sealingKeys)
}
