import { decodeBase64 } from "../base64.ts"

/**
 * Returns the key in a webhook endpoint's secret.
 *
 * @throws TypeError if it is not one
 */
export function decodeSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = typeof secret === "string" ? decodeBase64(secret.replace(/^whsec_/, "")) : null
  // Less could be guessed; an empty one would even verify what anybody signs.
  if (bytes === null || bytes.length < 24 || bytes.length > 64) {
    throw new TypeError("The secret must be that of the webhook endpoint, whsec_…")
  }
  return bytes
}
