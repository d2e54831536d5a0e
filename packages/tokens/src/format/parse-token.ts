import type { Work } from "@sealway/kernel"
import { isAgreed, type SealedContent } from "../crypto/content-key.ts"
import { isAgreedSubjectSegment, isSubjectSegment, keyVersionOf } from "../crypto/key-segment.ts"
import { isCompressedPoint } from "../crypto/points.ts"
import { AGREED_SUBJECT_SEGMENT_BYTES, IV_BYTES, KEY_SEGMENT_BYTES, TAG_BYTES } from "../crypto/sizes.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import {
  base64Bytes,
  base64Characters,
  decodeBase64,
  decodeCanonicalBase64InSteps,
  encodeBase64,
} from "./base64.ts"
import { hasTokenEnds, isToken, TOKEN_END, TOKEN_START } from "./token-grammar.ts"
import { TOKEN_VERSIONS, type TokenVersion, type TokenVersionName } from "./token-version.ts"
import type { ValueType } from "./value-type.ts"

/** The parts of a well-formed token. Nothing in it is authentic yet. */
export type ParsedToken = SealedContent & TokenSegments

interface TokenSegments {
  readonly version: TokenVersionName
  readonly type: ValueType
  /**
   * Whether the token carries the `debug` segment. Nothing is decided by it; it is only authenticated in versions that
   * can carry a role.
   */
  readonly debug: boolean
  /** 12 bytes. */
  readonly iv: Buffer
  /** Ends with the 16-byte tag. */
  readonly ciphertext: Buffer
}

const DEBUG_SEGMENT = "debug:"
const VERSION_CHARACTERS = 4
const IV_CHARACTERS = 16
/** Room for `ev:debug:`, the version, `boolean:`, the IV and the key, each with its colon. */
const MAX_HEAD_CHARACTERS = 128
const TYPES: ReadonlyMap<string, ValueType> = new Map([
  ["string", "string"],
  ["number", "number"],
  ["boolean", "boolean"],
])

/**
 * Parses a token. No key is needed.
 *
 * @param previous a token of the same document, if there is one. Values sealed together share their ephemeral key: when
 * it is the same, it is reused instead of decoded again. The result does not depend on it.
 * @returns null when the text does not match the token grammar, so it is data
 * @throws InvalidTokenError when it matches the grammar but has an unknown version, or a segment has a wrong length or
 * is not canonical base64
 */
export function parseToken(text: string, previous: ParsedToken | null = null): ParsedToken | null {
  if (!hasTokenEnds(text)) return null
  const token = parseCanonicalToken(text, previous)
  if (token === null && isToken(text)) throw new InvalidTokenError()
  return token
}

/** A token whose ciphertext is not decoded yet, and the position of the ciphertext. */
interface TokenHead {
  readonly token: ParsedToken & { ciphertext: Buffer }
  readonly ciphertextAt: number
}

const NO_BYTES = Buffer.alloc(0)

/**
 * Returns null when the text is not a token, or is a faulty one. Works with offsets, because running the grammar and
 * reading its captures takes twice as long.
 */
function parseCanonicalToken(text: string, previous: ParsedToken | null): ParsedToken | null {
  const head = parseHead(text, previous)
  const end = text.length - TOKEN_END.length
  if (head === null || !hasRoomForTag(head, end)) return null
  const { token, ciphertextAt } = head
  token.ciphertext = Buffer.allocUnsafe(base64Bytes(end - ciphertextAt))
  return decodeBase64(text, ciphertextAt, end, token.ciphertext) ? token : null
}

/**
 * `parseToken` for large tokens, in steps.
 *
 * @param bytes the UTF-8 of a text of more than `LARGE_VALUE_BYTES`
 */
export function* parseTokenInSteps(
  bytes: Buffer,
  previous: ParsedToken | null = null,
): Work<ParsedToken | null> {
  const end = bytes.length - TOKEN_END.length
  if (bytes.toString("latin1", end) !== TOKEN_END) return null
  const head = parseHead(bytes.toString("latin1", 0, MAX_HEAD_CHARACTERS), previous)
  if (head !== null && hasRoomForTag(head, end)) {
    const ciphertext = yield* decodeCanonicalBase64InSteps(bytes.subarray(head.ciphertextAt, end))
    if (ciphertext !== null) return { ...head.token, ciphertext }
  }
  yield
  return parseToken(bytes.toString(), previous)
}

function hasRoomForTag({ ciphertextAt }: TokenHead, end: number): boolean {
  return base64Bytes(end - ciphertextAt) >= TAG_BYTES
}

/**
 * Parses the segments before the ciphertext.
 *
 * @param text at least the first `MAX_HEAD_CHARACTERS` of a token, or all of a shorter one
 */
function parseHead(text: string, previous: ParsedToken | null): TokenHead | null {
  if (!text.startsWith(TOKEN_START)) return null
  const debug = text.startsWith(DEBUG_SEGMENT, TOKEN_START.length)
  const versionAt = TOKEN_START.length + (debug ? DEBUG_SEGMENT.length : 0)
  const version = TOKEN_VERSIONS.get(text.slice(versionAt, versionAt + VERSION_CHARACTERS))
  const typeAt = versionAt + VERSION_CHARACTERS + 1
  const segmentEnd = text.indexOf(":", typeAt)
  const hasType = segmentEnd - typeAt !== IV_CHARACTERS
  const type = hasType ? TYPES.get(text.slice(typeAt, segmentEnd)) : "string"
  const ivAt = hasType ? segmentEnd + 1 : typeAt
  const keyAt = ivAt + IV_CHARACTERS + 1
  if (version === undefined || type === undefined) return null
  const segmentBytes = segmentBytesOf(version)
  const ciphertextAt = keyAt + base64Characters(segmentBytes) + 1
  if (!isColon(text, typeAt - 1) || !isColon(text, keyAt - 1) || !isColon(text, ciphertextAt - 1)) return null
  const iv = Buffer.allocUnsafe(IV_BYTES)
  const segment =
    takeOverSegment(text, keyAt, segmentBytes, previous) ?? decodeSegment(text, keyAt, segmentBytes)
  if (segment === null || !decodeBase64(text, ivAt, keyAt - 1, iv)) return null
  const sealed = sealedContentOf(version, segment)
  if (sealed === null) return null
  return {
    token: { ...sealed, version: version.name, type, debug, iv, ciphertext: NO_BYTES },
    ciphertextAt,
  }
}

function segmentBytesOf({ derivation }: TokenVersion): number {
  return derivation === "subject-x963" ? AGREED_SUBJECT_SEGMENT_BYTES : KEY_SEGMENT_BYTES
}

/** The key segment of a token. */
interface KeySegment {
  readonly bytes: Buffer
  readonly base64: string
}

function takeOverSegment(
  text: string,
  at: number,
  bytes: number,
  previous: ParsedToken | null,
): KeySegment | null {
  if (previous === null) return null
  const segment = isAgreed(previous)
    ? { bytes: previous.ephemeralPublicKey, base64: previous.ephemeralPublicKeyBase64 }
    : { bytes: previous.keySegment, base64: previous.keySegmentBase64 }
  return segment.bytes.length === bytes && text.startsWith(segment.base64, at) ? segment : null
}

function decodeSegment(text: string, at: number, length: number): KeySegment | null {
  const bytes = Buffer.allocUnsafe(length)
  if (!decodeBase64(text, at, at + base64Characters(length), bytes)) return null
  // Encoded again, because a slice would keep the whole text in memory.
  return { bytes, base64: encodeBase64(bytes) }
}

/** Returns null when the segment is not of the version's kind. */
function sealedContentOf(version: TokenVersion, { bytes, base64 }: KeySegment): SealedContent | null {
  if (version.derivation === "hkdf") {
    const keyVersion = keyVersionOf(bytes)
    if (keyVersion === null) return null
    return { derivation: version.derivation, keyVersion, keySegment: bytes, keySegmentBase64: base64 }
  }
  if (version.derivation === "subject" || version.derivation === "subject-x963") {
    const isOfVersion = version.derivation === "subject" ? isSubjectSegment : isAgreedSubjectSegment
    if (!isOfVersion(bytes)) return null
    return { derivation: version.derivation, keySegment: bytes, keySegmentBase64: base64 }
  }
  if (!isCompressedPoint(bytes)) return null
  const { curve, derivation } = version
  return { curve, derivation, ephemeralPublicKey: bytes, ephemeralPublicKeyBase64: base64 }
}

function isColon(text: string, index: number): boolean {
  return text.charCodeAt(index) === 0x3a
}
