import { IV_BYTES, TAG_BYTES } from "../crypto/content-cipher.ts"
import { COMPRESSED_POINT_BYTES } from "../crypto/curve.ts"

/** Metadata of a role of 20 characters, see `encodeMetadata`. */
const MAX_METADATA_BYTES = 39

/** The form of a token whose segments are empty, the longest type and version there are. */
const LONGEST_FORM = "ev:debug:QkTC:boolean::::$"

/**
 * How many characters the longest token of a value has: one of a sandbox app, with the longest role.
 *
 * @param bytes of the value, as UTF-8 or as a JSON literal
 * @example
 * longestTokenOf(5) // 165
 */
export function longestTokenOf(bytes: number): number {
  const sealed = MAX_METADATA_BYTES + bytes + TAG_BYTES
  return LONGEST_FORM.length + base64Characters(IV_BYTES) + KEY_CHARACTERS + Math.ceil((sealed * 4) / 3)
}

const KEY_CHARACTERS = base64Characters(COMPRESSED_POINT_BYTES)

/** Padding included. */
function base64Characters(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}
