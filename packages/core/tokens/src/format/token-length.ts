import { AGREED_SUBJECT_SEGMENT_BYTES, IV_BYTES, TAG_BYTES } from "../crypto/sizes.ts"
import { base64Characters } from "./base64.ts"

/** Metadata with a role of 20 characters, see `encodeMetadata`. */
const MAX_METADATA_BYTES = 39

/** A token with empty segments and the longest type and version. */
const LONGEST_FORM = "ev:debug:c3cz:boolean::::$"

/**
 * Returns the length in characters of the longest token of a value: one for a data subject of a sandbox app, with the longest role.
 *
 * @param bytes the length of the value, as UTF-8 or as a JSON literal
 * @example
 * longestTokenOf(5) // 188
 */
export function longestTokenOf(bytes: number): number {
  const sealed = MAX_METADATA_BYTES + bytes + TAG_BYTES
  return LONGEST_FORM.length + base64Characters(IV_BYTES) + KEY_CHARACTERS + Math.ceil((sealed * 4) / 3)
}

const KEY_CHARACTERS = base64Characters(AGREED_SUBJECT_SEGMENT_BYTES)
