/** The size of secrets that the service hands to browsers: 256 bits, against which nobody can guess. */
export const SECRET_BYTES = 32

const SHAPE = /^[A-Za-z0-9_-]{43}$/

/** True for what could be such a secret, in base64url. Needs no look-up. */
export function isRandomSecret(text: string): boolean {
  return SHAPE.test(text)
}
