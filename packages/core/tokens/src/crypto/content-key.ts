import { createSecretKey, hash, type KeyObject } from "node:crypto"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { type Curve, uncompressPoint } from "./curve.ts"
import { KDF_INFIX_OF_P256, KDF_INFIX_OF_SECP256K1 } from "./kdf-infixes.ts"
import { SCALAR_BYTES } from "./sizes.ts"

/**
 * An AES-256 key that opens the tokens and files of one ephemeral key. It is a key object, not bytes: it does not
 * appear in logs or object dumps, and ciphers start several times faster with it.
 */
export type ContentKey = KeyObject

/** `x963`: the ANSI X9.63 KDF of `deriveContentKey`. `none`: the ECDH secret is the key. */
export type KeyDerivation = "x963" | "none"

/** What tokens and files have in common. */
export type SealedContent = AgreedContent | SymmetricContent | SubjectContent

/** What was sealed to a public key: its content key comes from a key agreement. */
export interface AgreedContent {
  readonly curve: Curve
  readonly derivation: KeyDerivation
  /** Compressed, 33 bytes; not yet known to be on the curve. */
  readonly ephemeralPublicKey: Buffer
  /** The same in base64. */
  readonly ephemeralPublicKeyBase64: string
}

const KDF_INFIXES: Readonly<Record<Curve, Uint8Array>> = {
  prime256v1: KDF_INFIX_OF_P256,
  secp256k1: KDF_INFIX_OF_SECP256K1,
}

/** What Sealway sealed with the value key of a key version: its content key comes from a salt. */
export interface SymmetricContent {
  readonly derivation: "hkdf"
  /** The key version that the segment names: 1 to 127. */
  readonly keyVersion: number
  /** `0x80 | key version`, then a salt of 32 bytes. */
  readonly keySegment: Buffer
  /** The same in base64. */
  readonly keySegmentBase64: string
}

/**
 * What was sealed for a data subject. `subject`: by Sealway with its key, so that the content key comes from a salt.
 * `subject-x963`: to its public key, so that the content key comes from a key agreement.
 */
export interface SubjectContent {
  readonly derivation: "subject" | "subject-x963"
  /**
   * `0x80`, the id of the data subject (16 bytes), then a salt of 16 bytes; or the id, then an ephemeral public key
   * (compressed, 33 bytes; not yet known to be on the curve).
   */
  readonly keySegment: Buffer
  /** The same in base64. */
  readonly keySegmentBase64: string
}

/** Says whether a token or file was sealed with a value key rather than to a public key. */
export function isSymmetric(sealed: SealedContent): sealed is SymmetricContent {
  return sealed.derivation === "hkdf"
}

/** Says whether a token or file was sealed to a public key. */
export function isAgreed(sealed: SealedContent): sealed is AgreedContent {
  return "ephemeralPublicKey" in sealed
}

/** Says whether a token was sealed for a data subject. */
export function isOfSubject(sealed: SealedContent): sealed is SubjectContent {
  return sealed.derivation === "subject" || sealed.derivation === "subject-x963"
}

/** Says whether opening takes a key agreement. */
export function takesAgreement(sealed: SealedContent): boolean {
  return isAgreed(sealed) || sealed.derivation === "subject-x963"
}

/**
 * Derives the key of content that was sealed to a public key.
 *
 * @param sharedSecret the ECDH secret of the ephemeral key and the app's private key: 32 bytes, the x coordinate
 * @throws InvalidTokenError when the ephemeral key is not a point of the curve
 * @throws TypeError when the secret is not 32 bytes
 */
export function deriveContentKey(sealed: AgreedContent, sharedSecret: Uint8Array): ContentKey {
  if (sharedSecret.length !== SCALAR_BYTES) throw new TypeError("The shared secret is not 32 bytes")
  if (sealed.derivation === "none") return createSecretKey(sharedSecret)
  const point = uncompressPoint(sealed.curve, sealed.ephemeralPublicKey)
  if (point === null) throw new InvalidTokenError()
  return deriveX963Key(sealed.curve, sharedSecret, point)
}

/**
 * Yields the content keys to try, lazily: first the one that the version names; then, on secp256k1, the one of the
 * other derivation. The Node and Python SDKs derive a key for the first call on that curve and reuse it for 15 seconds,
 * so a value with a role may be sealed with the raw secret (`S0lS`), and one without a role, or a file, with the KDF
 * (`RFVC`).
 *
 * This opens no token that its version would protect: the version still decides what is authenticated.
 *
 * @throws as `deriveContentKey` does
 */
export function* candidateContentKeys(
  sealed: AgreedContent,
  sharedSecret: Uint8Array,
): Generator<ContentKey> {
  yield deriveContentKey(sealed, sharedSecret)
  if (!hasOtherDerivation(sealed)) return
  const derivation = sealed.derivation === "none" ? "x963" : "none"
  yield deriveContentKey({ ...sealed, derivation }, sharedSecret)
}

/** Says whether known clients seal with another derivation than the version names. */
export function hasOtherDerivation({ curve }: Pick<AgreedContent, "curve">): boolean {
  return curve === "secp256k1"
}

/** Derives a key with the ANSI X9.63 KDF. @param point the ephemeral key, uncompressed */
export function deriveX963Key(curve: Curve, sharedSecret: Uint8Array, point: Uint8Array): ContentKey {
  const input = Buffer.concat([sharedSecret, KDF_INFIXES[curve], point])
  const bytes = hash("sha256", input, "buffer")
  const key = createSecretKey(bytes)
  bytes.fill(0)
  input.fill(0)
  return key
}

/**
 * Identifies the content key of a token or a file among the keys of one app: two ids are equal exactly when the same
 * app keys give the same content key. Use it as a cache key.
 */
export function contentKeyId(sealed: SealedContent): string {
  if (!isAgreed(sealed)) return sealed.keySegmentBase64
  const { curve, derivation, ephemeralPublicKeyBase64 } = sealed
  // The bare string for everything sealed today: looking up a freshly concatenated string takes ten times as long.
  return curve === "prime256v1" && derivation === "x963"
    ? ephemeralPublicKeyBase64
    : `${curve}:${derivation}:${ephemeralPublicKeyBase64}`
}
