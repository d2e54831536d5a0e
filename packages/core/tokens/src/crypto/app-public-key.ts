import type { KeyObject } from "node:crypto"
import { importPoint } from "./curve.ts"

/** A P-256 key of an app, imported once and used for any number of key agreements. */
export interface AppPublicKey {
  /** Compressed, 33 bytes. */
  readonly bytes: Buffer
  readonly key: KeyObject
}

/** Imports an app's public key. @throws TypeError when it is not a compressed point of P-256 */
export function importAppPublicKey(publicKey: Uint8Array): AppPublicKey {
  const key = importPoint("prime256v1", publicKey)
  if (key === null) throw new TypeError("The app's public key is not a compressed point of P-256")
  return { bytes: Buffer.from(publicKey), key }
}
