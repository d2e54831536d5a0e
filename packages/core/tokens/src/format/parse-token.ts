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

const VERSION_CHARACTERS = 4
const IV_CHARACTERS = 16
const TYPES: readonly ValueType[] = ["string", "number", "boolean"]
const START = Buffer.from(TOKEN_START)
const END = Buffer.from(TOKEN_END)
const DEBUG_SEGMENT = Buffer.from("debug:")
const TYPE_SEGMENTS: Readonly<Record<ValueType, Buffer>> = {
  string: Buffer.from("string:"),
  number: Buffer.from("number:"),
  boolean: Buffer.from("boolean:"),
}
/** By their characters as one number, because looking up a slice of the text takes longer. */
const VERSIONS: ReadonlyMap<number, TokenVersion> = new Map(
  [...TOKEN_VERSIONS].map(([name, version]) => [Buffer.from(name).readUInt32BE(), version]),
)
const COLON = 0x3a

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
  const bytes = Buffer.from(text)
  return parseTokenAt(bytes, 0, bytes.length, previous)
}

/** `parseToken` for the UTF-8 of a text, at `[start, end)` of a document. */
export function parseTokenAt(
  bytes: Buffer,
  start: number,
  end: number,
  previous: ParsedToken | null = null,
): ParsedToken | null {
  const ciphertextEnd = end - END.length
  const head = hasAt(bytes, ciphertextEnd, END) ? parseHead(bytes, start, previous) : null
  if (head !== null && hasRoomForTag(head, ciphertextEnd)) {
    const { token, ciphertextAt } = head
    token.ciphertext = Buffer.allocUnsafe(base64Bytes(ciphertextEnd - ciphertextAt))
    if (decodeBase64(bytes, ciphertextAt, ciphertextEnd, token.ciphertext)) return token
  }
  return requireData(bytes.subarray(start, end))
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
  const end = bytes.length - END.length
  if (!hasAt(bytes, end, END)) return null
  const head = parseHead(bytes, 0, previous)
  if (head !== null && hasRoomForTag(head, end)) {
    const ciphertext = yield* decodeCanonicalBase64InSteps(bytes.subarray(head.ciphertextAt, end))
    if (ciphertext !== null) return { ...head.token, ciphertext }
  }
  yield
  return requireData(bytes)
}

/** Returns null for what is no token. @throws InvalidTokenError when it matches the grammar, so that it is a faulty one */
function requireData(bytes: Buffer): null {
  if (isToken(bytes.toString())) throw new InvalidTokenError()
  return null
}

/** A token whose ciphertext is not decoded yet, and the position of the ciphertext. */
interface TokenHead {
  readonly token: ParsedToken & { ciphertext: Buffer }
  readonly ciphertextAt: number
}

const NO_BYTES = Buffer.alloc(0)

function hasRoomForTag({ ciphertextAt }: TokenHead, end: number): boolean {
  return base64Bytes(end - ciphertextAt) >= TAG_BYTES
}

/**
 * Parses the segments before the ciphertext, at fixed offsets: running the grammar and reading its captures takes twice
 * as long. Returns null when they are not a token's, or faulty.
 */
function parseHead(bytes: Buffer, start: number, previous: ParsedToken | null): TokenHead | null {
  if (!hasAt(bytes, start, START)) return null
  const debug = hasAt(bytes, start + START.length, DEBUG_SEGMENT)
  const versionAt = start + START.length + (debug ? DEBUG_SEGMENT.length : 0)
  const version = versionIn(bytes, versionAt)
  if (version === undefined) return null
  const typeAt = versionAt + VERSION_CHARACTERS + 1
  const hasType = bytes[typeAt + IV_CHARACTERS] !== COLON
  const type = hasType ? TYPES.find((each) => hasAt(bytes, typeAt, TYPE_SEGMENTS[each])) : "string"
  if (type === undefined) return null
  const ivAt = hasType ? typeAt + TYPE_SEGMENTS[type].length : typeAt
  const keyAt = ivAt + IV_CHARACTERS + 1
  const segmentBytes = segmentBytesOf(version)
  const ciphertextAt = keyAt + base64Characters(segmentBytes) + 1
  if (bytes[typeAt - 1] !== COLON || bytes[keyAt - 1] !== COLON || bytes[ciphertextAt - 1] !== COLON)
    return null
  const iv = Buffer.allocUnsafe(IV_BYTES)
  const segment =
    takeOverSegment(bytes, keyAt, segmentBytes, previous) ?? decodeSegment(bytes, keyAt, segmentBytes)
  if (segment === null || !decodeBase64(bytes, ivAt, keyAt - 1, iv)) return null
  const sealed = sealedContentOf(version, segment)
  if (sealed === null) return null
  return { token: { ...sealed, version: version.name, type, debug, iv, ciphertext: NO_BYTES }, ciphertextAt }
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
  characters: Buffer,
  at: number,
  length: number,
  previous: ParsedToken | null,
): KeySegment | null {
  if (previous === null) return null
  const segment = isAgreed(previous)
    ? { bytes: previous.ephemeralPublicKey, base64: previous.ephemeralPublicKeyBase64 }
    : { bytes: previous.keySegment, base64: previous.keySegmentBase64 }
  return segment.bytes.length === length && hasTextAt(characters, at, segment.base64) ? segment : null
}

function decodeSegment(characters: Buffer, at: number, length: number): KeySegment | null {
  const bytes = Buffer.allocUnsafe(length)
  if (!decodeBase64(characters, at, at + base64Characters(length), bytes)) return null
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

function versionIn(bytes: Buffer, at: number): TokenVersion | undefined {
  return at + VERSION_CHARACTERS <= bytes.length ? VERSIONS.get(bytes.readUInt32BE(at)) : undefined
}

function hasAt(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let index = 0; index < wanted.length; index++) {
    if (bytes[at + index] !== wanted[index]) return false
  }
  return true
}

/** @param text in ASCII */
function hasTextAt(bytes: Buffer, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false
  }
  return true
}
