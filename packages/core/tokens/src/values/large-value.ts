/**
 * The size in bytes from which a plaintext or ciphertext is sealed and opened in steps. Anything smaller takes a
 * fraction of a millisecond.
 */
export const LARGE_VALUE_BYTES = 262_144
