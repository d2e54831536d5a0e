import { isCompressedPoint } from "./points.ts"
import { AGREED_SUBJECT_SEGMENT_BYTES, KEY_SEGMENT_BYTES, SUBJECT_ID_BYTES } from "./sizes.ts"

/** Set in the first byte of a key segment with a key version and a salt, beside the key version. No point begins so. */
export const SEGMENT_FLAG = 0x80
/** The highest key version that a segment can name. */
export const MAX_KEY_VERSION = 0x7f

/** Returns the key version that a segment names; null when it is not such a segment. */
export function keyVersionOf(segment: Uint8Array): number | null {
  const [first = 0] = segment
  return segment.length === KEY_SEGMENT_BYTES && first > SEGMENT_FLAG ? first & MAX_KEY_VERSION : null
}

/**
 * The first byte of a key segment with the id of a data subject and a salt. No point begins so, and no segment with a key
 * version, because there is no version 0.
 */
export const SUBJECT_SEGMENT = 0x80

/** Says whether a segment names a data subject. */
export function isSubjectSegment(segment: Uint8Array): boolean {
  return segment.length === KEY_SEGMENT_BYTES && segment[0] === SUBJECT_SEGMENT
}

/** Says whether a segment names a data subject, and has the ephemeral key of who sealed to its public key. */
export function isAgreedSubjectSegment(segment: Uint8Array): boolean {
  return (
    segment.length === AGREED_SUBJECT_SEGMENT_BYTES && isCompressedPoint(segment.subarray(SUBJECT_ID_BYTES))
  )
}

/** Returns the ephemeral key in such a segment: 33 bytes, not yet known to be on the curve. */
export function ephemeralKeyIn(segment: Buffer): Buffer {
  return segment.subarray(SUBJECT_ID_BYTES)
}

/** Returns the id of the data subject that a segment of either kind names: 16 bytes. */
export function subjectIdIn(segment: Buffer): Buffer {
  const at = segment.length === AGREED_SUBJECT_SEGMENT_BYTES ? 0 : 1
  return segment.subarray(at, at + SUBJECT_ID_BYTES)
}
