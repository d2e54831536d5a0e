import { type ContentKey, isOfSubject, isSymmetric } from "../crypto/content-key.ts"
import { OneIv } from "../crypto/one-iv.ts"
import type { Metadata } from "../format/metadata.ts"
import type { ParsedToken } from "../format/parse-token.ts"
import { symmetricTokenForms, tokenForms } from "../format/token-form.ts"
import type { ValueType } from "../format/value-type.ts"
import { ContentSealingKey } from "./sealing-key.ts"

/** A token that was opened, and the key that opened it. */
export interface OpenedBy {
  readonly token: ParsedToken
  readonly contentKey: ContentKey
  /** The app's key on the token's curve, compressed, 33 bytes; P-256 for a symmetric token. */
  readonly appPublicKey: Buffer
}

/**
 * Seals a value with the key of a token, as if both had been sealed together: they have the same key segment.
 *
 * @param iv 12 bytes that no value under that key has or will have: with the same IV twice, GCM reveals both values and
 * lets others forge more
 * @returns null for a token of a data subject, or of a version that Sealway does not write, or not for such a value
 * @throws TypeError as `SealingKey.seal`
 */
export function sealBeside(
  { token, contentKey, appPublicKey }: OpenedBy,
  iv: Uint8Array,
  type: ValueType,
  plaintext: string,
  metadata: Metadata,
): string | null {
  if (isOfSubject(token)) return null
  const { debug } = token
  const key = isSymmetric(token)
    ? {
        keySegment: token.keySegment,
        forms: symmetricTokenForms(debug, token.keySegment, appPublicKey),
        fileVersion: 4 as const,
      }
    : {
        keySegment: token.ephemeralPublicKey,
        forms: tokenForms(debug, token.ephemeralPublicKey, appPublicKey),
        fileVersion: 3 as const,
      }
  const sealing = new ContentSealingKey({ debug, contentKey, appPublicKey, ivs: new OneIv(iv), ...key })
  const text = sealing.seal(type, plaintext, metadata)
  return text.includes(`:${token.version}:`) ? text : null
}
