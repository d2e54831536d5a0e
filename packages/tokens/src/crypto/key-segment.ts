import { KEY_SEGMENT_BYTES } from "./sizes.ts"

/** Set in the first byte of a key segment with a key version and a salt, beside the key version. No point begins so. */
export const SEGMENT_FLAG = 0x80
/** The highest key version that a segment can name. */
export const MAX_KEY_VERSION = 0x7f

/** Returns the key version that a segment names; null when it is not such a segment. */
export function keyVersionOf(segment: Uint8Array): number | null {
  const [first = 0] = segment
  return segment.length === KEY_SEGMENT_BYTES && first > SEGMENT_FLAG ? first & MAX_KEY_VERSION : null
}
