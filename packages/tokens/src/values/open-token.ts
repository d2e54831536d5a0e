import { createContentDecipher, TAG_BYTES } from "../crypto/content-cipher.ts"
import type { ContentKey } from "../crypto/content-key.ts"
import { COMPRESSED_POINT_BYTES } from "../crypto/curve.ts"
import { configurationByte, configuredAdditionalData, DEBUG_QUIRK_BYTE } from "../format/configuration.ts"
import { splitMetadata, type WithMetadata } from "../format/metadata.ts"
import type { ParsedToken } from "../format/parse-token.ts"
import { TOKEN_VERSIONS } from "../format/token-version.ts"
import { isPlaintextOf, type ValueType } from "../format/value-type.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"

/** What a token holds; authentic. */
export interface OpenedValue {
  readonly type: ValueType
  /**
   * UTF-8: the text of a string, or the JSON literal of a number or boolean, digit for digit as it was sealed. A
   * number is one JSON number and a boolean `true` or `false`, so both can be written into JSON as they are.
   */
  readonly value: Buffer
  /** Slug of the data role; null when the value has none. */
  readonly role: string | null
  /** Epoch seconds, by the clock of whoever sealed the value; null when not known, as for values without a role. */
  readonly encryptedAt: number | null
}

/**
 * Opens a token.
 *
 * @param contentKey of `deriveContentKey`, for this token's ephemeral key
 * @param appPublicKey the app's key on the token's curve, compressed, 33 bytes
 * @throws InvalidTokenError when the token was not sealed to this key, was changed, or holds what its type does not allow
 * @throws TypeError when the public key is not 33 bytes
 */
export function openToken(token: ParsedToken, contentKey: ContentKey, appPublicKey: Uint8Array): OpenedValue {
  if (appPublicKey.length !== COMPRESSED_POINT_BYTES) throw new TypeError("The public key is not 33 bytes")
  const { value, role, encryptedAt } = openContent(token, contentKey, appPublicKey)
  if (!isPlaintextOf(token.type, value)) throw new InvalidTokenError()
  return { type: token.type, value, role, encryptedAt }
}

function openContent(token: ParsedToken, contentKey: ContentKey, appPublicKey: Uint8Array): WithMetadata {
  const version = TOKEN_VERSIONS.get(token.version)
  if (version === undefined) throw new InvalidTokenError()
  const { configurationNumber, bindsAppKey, hasDebugQuirk } = version
  if (configurationNumber === null) {
    const value = decrypt(token, contentKey, bindsAppKey ? appPublicKey : null)
    return { value: value ?? refuse(), role: null, encryptedAt: null }
  }
  const decryptConfigured = (byte: number) =>
    decrypt(token, contentKey, configuredAdditionalData(byte, token.ephemeralPublicKey, appPublicKey))
  const plaintext =
    decryptConfigured(configurationByte(token.debug, token.type, configurationNumber)) ??
    (token.debug && hasDebugQuirk ? decryptConfigured(DEBUG_QUIRK_BYTE) : null)
  return splitMetadata(plaintext ?? refuse())
}

/** Null when the tag does not hold. */
function decrypt(
  { iv, ciphertext }: ParsedToken,
  contentKey: ContentKey,
  additionalData: Uint8Array | null,
): Buffer | null {
  const end = ciphertext.length - TAG_BYTES
  const decipher = createContentDecipher(contentKey, iv, additionalData)
  const plaintext = decipher.update(ciphertext.subarray(0, end))
  try {
    decipher.setAuthTag(ciphertext.subarray(end)).final()
  } catch {
    return null
  }
  return plaintext
}

function refuse(): never {
  throw new InvalidTokenError()
}
