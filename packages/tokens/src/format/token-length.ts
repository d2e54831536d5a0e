import { COMPRESSED_POINT_BYTES, IV_BYTES, TAG_BYTES } from "../crypto/sizes.ts"

/** Metadata with a role of 20 characters, see `encodeMetadata`. */
const MAX_METADATA_BYTES = 39

/** A token with empty segments and the longest type and version. */
const LONGEST_FORM = "ev:debug:QkTC:boolean::::$"

/**
 * Returns the length in characters of the longest token of a value: one of a sandbox app, with the longest role.
 *
 * @param bytes the length of the value, as UTF-8 or as a JSON literal
 * @example
 * longestTokenOf(5) // 165
 */
export function longestTokenOf(bytes: number): number {
  const sealed = MAX_METADATA_BYTES + bytes + TAG_BYTES
  return LONGEST_FORM.length + base64Characters(IV_BYTES) + KEY_CHARACTERS + Math.ceil((sealed * 4) / 3)
}

const KEY_CHARACTERS = base64Characters(COMPRESSED_POINT_BYTES)

/** Counts the padding too. */
function base64Characters(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}
