import type { DecipherGCM } from "node:crypto"
import type { Work } from "@sealway/kernel"
import { createContentDecipher } from "../crypto/content-cipher.ts"
import { type ContentKey, isAgreed } from "../crypto/content-key.ts"
import { piecesOf } from "../crypto/pieces-of.ts"
import { COMPRESSED_POINT_BYTES, TAG_BYTES } from "../crypto/sizes.ts"
import {
  configurationByte,
  configuredDataBytes,
  DEBUG_QUIRK_BYTE,
  writeConfiguredData,
} from "../format/configuration.ts"
import { splitMetadata, type WithMetadata } from "../format/metadata.ts"
import type { ParsedToken } from "../format/parse-token.ts"
import { isPlaintextOf } from "../format/plaintext.ts"
import { TOKEN_VERSIONS, type TokenVersion } from "../format/token-version.ts"
import type { ValueType } from "../format/value-type.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"

/** The authenticated content of a token. */
export interface OpenedValue {
  readonly type: ValueType
  /**
   * UTF-8: the text of a string, or the JSON literal of a number or boolean, digit for digit as it was sealed. A number
   * is exactly one JSON number and a boolean `true` or `false`, so both can be written into JSON unchanged.
   */
  readonly value: Buffer
  /** Slug of the data role; null when the value has none. */
  readonly role: string | null
  /**
   * Epoch seconds, by the clock of the client that sealed the value; null when not known, as for values without a role.
   */
  readonly encryptedAt: number | null
}

/**
 * Opens a token.
 *
 * @param contentKey from `deriveContentKey`, for this token's ephemeral key, or from `SymmetricKeys` or a `SubjectKey`
 * @param appPublicKey the app's key on the token's curve, compressed, 33 bytes; P-256 for a symmetric token;
 * the one that `SubjectKey.boundKey` returns for a token of a data subject
 * @throws InvalidTokenError when the token was not sealed to this key, was changed, or holds what its type does not
 * allow
 * @throws TypeError when the public key is not 33 bytes
 */
export function openToken(token: ParsedToken, contentKey: ContentKey, appPublicKey: Uint8Array): OpenedValue {
  const version = versionOf(token, appPublicKey)
  for (let attempt = 0; attempt < attemptsAt(token, version); attempt++) {
    const additionalData = additionalDataOf(token, version, appPublicKey, attempt)
    const plaintext = decrypt(token, contentKey, additionalData)
    if (plaintext !== null) return readPlaintext(token, version, plaintext)
  }
  throw new InvalidTokenError()
}

/** `openToken` for large values, in steps. */
export function* openTokenInSteps(
  token: ParsedToken,
  contentKey: ContentKey,
  appPublicKey: Uint8Array,
): Work<OpenedValue> {
  const version = versionOf(token, appPublicKey)
  for (let attempt = 0; attempt < attemptsAt(token, version); attempt++) {
    const additionalData = additionalDataOf(token, version, appPublicKey, attempt)
    const plaintext = yield* decryptInSteps(token, contentKey, additionalData)
    if (plaintext !== null) return readPlaintext(token, version, plaintext)
  }
  throw new InvalidTokenError()
}

function versionOf(token: ParsedToken, appPublicKey: Uint8Array): TokenVersion {
  if (appPublicKey.length !== COMPRESSED_POINT_BYTES) throw new TypeError("The public key is not 33 bytes")
  const version = TOKEN_VERSIONS.get(token.version)
  if (version === undefined) throw new InvalidTokenError()
  return version
}

/** The additional data to try. One client binds different additional data to its debug tokens; that is tried second. */
function attemptsAt(token: ParsedToken, { hasDebugQuirk }: TokenVersion): number {
  return token.debug && hasDebugQuirk === true ? 2 : 1
}

function additionalDataOf(
  token: ParsedToken,
  { configurationNumber, bindsAppKey }: TokenVersion,
  appPublicKey: Uint8Array,
  attempt: number,
): Uint8Array | null {
  if (configurationNumber === null) return bindsAppKey ? appPublicKey : null
  const byte =
    attempt === 0 ? configurationByte(token.debug, token.type, configurationNumber) : DEBUG_QUIRK_BYTE
  const keySegment = isAgreed(token) ? token.ephemeralPublicKey : token.keySegment
  const data = Buffer.allocUnsafe(configuredDataBytes(keySegment))
  return writeConfiguredData(data, byte, keySegment, appPublicKey)
}

function readPlaintext(
  { type }: ParsedToken,
  { configurationNumber }: TokenVersion,
  plaintext: Buffer,
): OpenedValue {
  const { value, role, encryptedAt }: WithMetadata =
    configurationNumber === null
      ? { value: plaintext, role: null, encryptedAt: null }
      : splitMetadata(plaintext)
  if (!isPlaintextOf(type, value)) throw new InvalidTokenError()
  return { type, value, role, encryptedAt }
}

/**
 * Returns null when the tag is wrong.
 *
 * Returns a copy, which Node.js takes from its pool: a cipher's output has its own memory, and 45,000 of those cost the
 * garbage collector much more than their bytes do.
 */
function decrypt(
  { iv, ciphertext }: ParsedToken,
  contentKey: ContentKey,
  additionalData: Uint8Array | null,
): Buffer | null {
  const end = ciphertext.length - TAG_BYTES
  const decipher = createContentDecipher(contentKey, iv, additionalData)
  const plaintext = decipher.update(copied(ciphertext, 0, end))
  return isAuthentic(decipher, copied(ciphertext, end, ciphertext.length)) ? Buffer.from(plaintext) : null
}

const scratch = Buffer.alloc(128)
/** Views of its first bytes, by their number. A new view for each value takes longer than copying a short one. */
const views: (Buffer | undefined)[] = []

/** Returns the bytes `[start, end)`, which are good until the next call if there are few. */
function copied(bytes: Buffer, start: number, end: number): Buffer {
  const length = end - start
  if (length > scratch.length) return bytes.subarray(start, end)
  for (let index = 0; index < length; index++) scratch[index] = bytes[start + index] ?? 0
  views[length] ??= scratch.subarray(0, length)
  return views[length]
}

/** Returns null when the tag is wrong. */
function* decryptInSteps(
  { iv, ciphertext }: ParsedToken,
  contentKey: ContentKey,
  additionalData: Uint8Array | null,
): Work<Buffer | null> {
  const end = ciphertext.length - TAG_BYTES
  const decipher = createContentDecipher(contentKey, iv, additionalData)
  const plaintext = Buffer.allocUnsafe(end)
  let length = 0
  for (const piece of piecesOf(ciphertext.subarray(0, end))) {
    yield
    plaintext.set(decipher.update(piece), length)
    length += piece.length
  }
  return isAuthentic(decipher, ciphertext.subarray(end)) ? plaintext : null
}

function isAuthentic(decipher: DecipherGCM, tag: Uint8Array): boolean {
  try {
    decipher.setAuthTag(tag).final()
    return true
  } catch {
    return false
  }
}
