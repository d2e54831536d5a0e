/**
 * `ev:[debug:]<version>:[<type>:]<iv>:<ephemeral key>:<ciphertext>:$`. Wider than the format where a deviation is more
 * likely a damaged token than data: any four characters count as a version, any length is accepted, and padding
 * matches, so that it can be refused.
 *
 * Linear in the length of the text: each repeated class stops at a colon, which it does not contain.
 */
export const TOKEN_GRAMMAR =
  /ev:(?:debug:)?[A-Za-z0-9+/]{4}:(?:(?:string|number|boolean):)?(?:[A-Za-z0-9+/]+={0,2}:){3}\$/

const WHOLE_TOKEN = new RegExp(`^${TOKEN_GRAMMAR.source}$`)

export const TOKEN_START = "ev:"
export const TOKEN_END = ":$"

/** True when the text matches the token grammar. It may still fail to open. Everything else is data. */
export function isToken(text: string): boolean {
  return hasTokenEnds(text) && WHOLE_TOKEN.test(text)
}

/** Tells most data from tokens without running the grammar. */
export function hasTokenEnds(text: string): boolean {
  return text.startsWith(TOKEN_START) && text.endsWith(TOKEN_END)
}
