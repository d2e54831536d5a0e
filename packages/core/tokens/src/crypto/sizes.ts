/** A compressed point: 0x02 or 0x03 by the parity of y, then x. */
export const COMPRESSED_POINT_BYTES = 33
/** An uncompressed point: 0x04, x, y. */
export const UNCOMPRESSED_POINT_BYTES = 65
/** The size of a private key, a coordinate and a shared secret on either curve. */
export const SCALAR_BYTES = 32
/** The salt of a symmetrically sealed value. */
export const SALT_BYTES = 32
/** Names a data subject. */
export const SUBJECT_ID_BYTES = 16
/** The salt of a value of a data subject. */
export const SUBJECT_SALT_BYTES = 16
/** A compressed point; or a key version and a salt; or a byte, the id of a data subject and a salt. */
export const KEY_SEGMENT_BYTES = 33
/** The id of a data subject and a compressed point. */
export const AGREED_SUBJECT_SEGMENT_BYTES = 49
export const IV_BYTES = 12
export const TAG_BYTES = 16
