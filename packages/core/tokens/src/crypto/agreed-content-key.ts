import { InvalidTokenError } from "../invalid-token-error.ts"
import { type ContentKey, deriveContentKey, isAgreed, type SealedContent } from "./content-key.ts"
import type { KeyAgreement } from "./key-agreement.ts"

/**
 * Derives the content key of a token or a file that was sealed to a public key.
 *
 * @param agreement with the private key on the content's curve
 * @throws InvalidTokenError when it was not sealed to a public key, or its ephemeral key is not a point of the curve
 * @example
 * const token = parseToken(text)
 * if (token !== null) openToken(token, agreedContentKey(token, agreement), agreement.publicKey)
 */
export function agreedContentKey(
  sealed: SealedContent,
  agreement: Pick<KeyAgreement, "sharedSecret">,
): ContentKey {
  if (!isAgreed(sealed)) throw new InvalidTokenError()
  return deriveContentKey(sealed, agreement.sharedSecret(sealed.ephemeralPublicKey))
}
