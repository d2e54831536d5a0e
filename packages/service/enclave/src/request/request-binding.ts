import { createHash } from "node:crypto"

/** Begins what binds an attestation to one request, so that it serves no other purpose, and no other document serves this. */
export const BINDING_PREFIX = "sealway-decrypt-1:"

/**
 * Returns the `user_data` of the attestation for one request: the prefix in ASCII, and SHA-256 of the app's id, a zero
 * byte and the data.
 *
 * @param data the bytes of the field `data`, exactly as they are in the body
 */
export function bindRequest(appId: string, data: Uint8Array): Buffer {
  const digest = createHash("sha256").update(`${appId}\0`).update(data).digest()
  return Buffer.concat([Buffer.from(BINDING_PREFIX), digest])
}
