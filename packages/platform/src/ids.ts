import { randomBytes } from "node:crypto"

/** What an id names, by its prefix. */
export type IdPrefix = "team" | "app" | "key"

const CROCKFORD_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
const RANDOM_CHARACTERS = 16

/** A new id: the prefix, `_` and 16 random characters of Crockford's base 32, in lower case (80 bits). */
export function createId(prefix: IdPrefix): string {
  let id = `${prefix}_`
  for (const byte of randomBytes(RANDOM_CHARACTERS)) id += CROCKFORD_ALPHABET[byte & 31]
  return id
}

/** True when `text` has the shape of an id with this prefix; cheap enough to ask before any look-up. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length <= 64 &&
    text.startsWith(`${prefix}_`) &&
    /^[0-9a-z]{12,}$/.test(text.slice(prefix.length + 1))
  )
}
