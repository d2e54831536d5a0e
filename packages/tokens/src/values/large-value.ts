/**
 * The plaintext or ciphertext of one value from which it is worth the trouble to seal and open it in steps, in bytes.
 * What is smaller takes a fraction of a millisecond.
 */
export const LARGE_VALUE_BYTES = 262_144
