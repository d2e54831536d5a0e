import { KB } from "@sealway/kernel"
import { MAX_MESSAGE_BYTES } from "./parse-message.ts"

/** The longest `threeDSSessionData`, encoded. */
export const MAX_SESSION_DATA_CHARACTERS = KB

/** Encodes text as browsers send it in a form: base64url without `=`. */
export function encodeMessage(text: string): string {
  return Buffer.from(text).toString("base64url")
}

/** Decodes a form field, with or without `=`. Returns null when it is not valid base64url. */
export function decodeMessage(encoded: string): Buffer | null {
  if (encoded.length > Math.ceil((MAX_MESSAGE_BYTES * 4) / 3) + 2) return null
  const text = encoded.replace(/={1,2}$/, "")
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return null
  if (text.length !== encoded.length && encoded.length % 4 !== 0) return null
  const bytes = Buffer.from(text, "base64url")
  // The unused bits of the last character must be zero.
  return bytes.toString("base64url") === text ? bytes : null
}
