import { createHash, createSecretKey, type KeyObject } from "node:crypto"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { type Curve, SCALAR_BYTES, uncompressPoint } from "./curve.ts"

/**
 * An AES-256 key that opens the tokens and files of one ephemeral key. It is a key object, not bytes: it does not
 * appear in logs or object dumps, and ciphers start several times faster with it.
 */
export type ContentKey = KeyObject

/** `x963`: the ANSI X9.63 KDF of `deriveContentKey`. `none`: the ECDH secret is the key. */
export type KeyDerivation = "x963" | "none"

/** What tokens and files have in common. */
export interface SealedContent {
  readonly curve: Curve
  readonly derivation: KeyDerivation
  /** Compressed, 33 bytes; not yet known to be on the curve. */
  readonly ephemeralPublicKey: Buffer
  /** The same in base64. */
  readonly ephemeralPublicKeyBase64: string
}

/**
 * What X9.63 puts between the secret and the point: the block counter 00 00 00 01, and the DER in front of the
 * 65-byte point of a SubjectPublicKeyInfo whose curve is spelled out (X9.62 SpecifiedECDomain) instead of named:
 *
 *     SEQUENCE {
 *       SEQUENCE {
 *         OID 1.2.840.10045.2.1 (id-ecPublicKey)
 *         SEQUENCE {
 *           INTEGER 1
 *           SEQUENCE { OID 1.2.840.10045.1.1 (prime-field), INTEGER p }
 *           SEQUENCE { OCTET STRING a, OCTET STRING b, BIT STRING seed (P-256 only) }
 *           OCTET STRING generator (uncompressed)
 *           INTEGER order
 *           INTEGER 1 (cofactor)
 *         }
 *       }
 *       BIT STRING (the point follows)
 *     }
 */
const KDF_INFIXES: Readonly<Record<Curve, Buffer>> = {
  prime256v1: Buffer.from(
    "00000001" +
      "3082014b3082010306072a8648ce3d02013081f7020101" +
      "302c06072a8648ce3d0101022100ffffffff00000001000000000000000000000000ffffffffffffffffffffffff" +
      "305b0420ffffffff00000001000000000000000000000000fffffffffffffffffffffffc" +
      "04205ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b" +
      "031500c49d360886e704936a6678e1139d26b7819f7e90" +
      "0441046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296" +
      "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5" +
      "022100ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551" +
      "020101" +
      "034200",
    "hex",
  ),
  secp256k1: Buffer.from(
    "00000001" +
      "308201333081ec06072a8648ce3d02013081e0020101" +
      "302c06072a8648ce3d0101022100fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f" +
      "304404200000000000000000000000000000000000000000000000000000000000000000" +
      "04200000000000000000000000000000000000000000000000000000000000000007" +
      "04410479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798" +
      "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8" +
      "022100fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141" +
      "020101" +
      "034200",
    "hex",
  ),
}

/**
 * Derives the key of a token's or a file's content.
 *
 * @param sharedSecret the ECDH secret of the ephemeral key and the app's private key: 32 bytes, the x coordinate
 * @throws InvalidTokenError when the ephemeral key is not a point of the curve
 * @throws TypeError when the secret is not 32 bytes
 */
export function deriveContentKey(sealed: SealedContent, sharedSecret: Uint8Array): ContentKey {
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
  sealed: SealedContent,
  sharedSecret: Uint8Array,
): Generator<ContentKey> {
  yield deriveContentKey(sealed, sharedSecret)
  if (!hasOtherDerivation(sealed)) return
  const derivation = sealed.derivation === "none" ? "x963" : "none"
  yield deriveContentKey({ ...sealed, derivation }, sharedSecret)
}

/** Says whether known clients seal with another derivation than the version names. */
export function hasOtherDerivation({ curve }: Pick<SealedContent, "curve">): boolean {
  return curve === "secp256k1"
}

/** Derives a key with the ANSI X9.63 KDF. @param point the ephemeral key, uncompressed */
export function deriveX963Key(curve: Curve, sharedSecret: Uint8Array, point: Uint8Array): ContentKey {
  const bytes = createHash("sha256").update(sharedSecret).update(KDF_INFIXES[curve]).update(point).digest()
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}

/**
 * Identifies the content key of a token or a file among the keys of one app: two ids are equal exactly when
 * `deriveContentKey` returns the same key for the same app keys. Use it as a cache key.
 */
export function contentKeyId({ curve, derivation, ephemeralPublicKeyBase64 }: SealedContent): string {
  // The bare string for everything sealed today: looking up a freshly concatenated string takes ten times as long.
  return curve === "prime256v1" && derivation === "x963"
    ? ephemeralPublicKeyBase64
    : `${curve}:${derivation}:${ephemeralPublicKeyBase64}`
}
