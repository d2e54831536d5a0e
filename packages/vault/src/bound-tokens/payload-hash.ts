import { createHash } from "node:crypto"
import { finish, type Work } from "@sealway/kernel"
import { writeCanonicalJson } from "./canonical-json.ts"

/** To hash a few long texts is cheaper than many short ones. */
const CHARACTERS_PER_UPDATE = 16_384

/**
 * What a client-side token is bound to: SHA-256, base64url, of a payload's canonical JSON (RFC 8785). White space, the
 * order of members and the spelling of numbers do not count; everything else does.
 *
 * @param payload a JSON value from `parseStrictJson`: nothing that canonical JSON would make alike is lost in it
 */
export function hashPayload(payload: unknown): string {
  return finish(hashPayloadInSteps(payload))
}

/** `hashPayload`, in steps. */
export function* hashPayloadInSteps(payload: unknown): Work<string> {
  if (payload === undefined) throw new TypeError("The payload is not JSON")
  const hash = createHash("sha256")
  let text = ""
  yield* writeCanonicalJson(payload, (piece) => {
    text += piece
    if (text.length < CHARACTERS_PER_UPDATE) return
    hash.update(text)
    text = ""
  })
  return hash.update(text).digest("base64url")
}
