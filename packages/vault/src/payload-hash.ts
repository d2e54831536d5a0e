import { hash } from "node:crypto"
import canonicalize from "canonicalize"

/**
 * What a client-side token is bound to: SHA-256, base64url, of a payload's canonical JSON (RFC 8785). White space, the
 * order of members and the spelling of numbers do not count; everything else does.
 *
 * @param payload a JSON value from `parseStrictJson`: nothing that canonical JSON would make alike is lost in it
 */
export function hashPayload(payload: unknown): string {
  const text = canonicalize(payload)
  if (text === undefined) throw new TypeError("The payload is not JSON")
  return hash("sha256", text, "base64url")
}
