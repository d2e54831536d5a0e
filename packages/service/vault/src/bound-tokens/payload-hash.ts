import { createHash } from "node:crypto"
import { finish, type Work } from "@sealway/kernel"
import { writeCanonicalJson } from "./canonical-json.ts"

/** Hashing a few long texts is faster than hashing many short ones. */
const CHARACTERS_PER_UPDATE = 16_384

/**
 * Returns what a client-side token is bound to: SHA-256, base64url, of a payload's canonical JSON (RFC 8785). White
 * space, the order of fields and the spelling of numbers do not matter; everything else does.
 *
 * @param payload a JSON value from `parseStrictJson`, which refuses texts that differ and would become the same
 * canonical JSON
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
