import { createPublicKey, ECDH, type KeyObject } from "node:crypto"
import { isCompressedPoint, writeCompressedPoint } from "./points.ts"
import { COMPRESSED_POINT_BYTES, UNCOMPRESSED_POINT_BYTES } from "./sizes.ts"

/** OpenSSL's names. P-256 is `prime256v1`; secp256k1 is only read, for older clients. */
export type Curve = "prime256v1" | "secp256k1"

/**
 * The DER in front of an uncompressed point: a SubjectPublicKeyInfo (RFC 5480) that names its curve by object
 * identifier. Layout: SEQUENCE { SEQUENCE { OID id-ecPublicKey, OID of the curve }, BIT STRING (the point follows) }.
 */
const NAMED_CURVE_PREFIXES: Readonly<Record<Curve, Buffer>> = {
  prime256v1: Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex"),
  secp256k1: Buffer.from("3056301006072a8648ce3d020106052b8104000a034200", "hex"),
}

/**
 * The last point that was uncompressed. Both the ECDH and the key derivation need the uncompressed ephemeral key, and
 * computing y takes a third as long as the ECDH itself.
 */
let last: { readonly curve: Curve; readonly uncompressed: Buffer } | null = null

/** Returns the point as 65 bytes; null when the bytes are not a compressed point of the curve. */
export function uncompressPoint(curve: Curve, point: Uint8Array): Buffer | null {
  if (!isCompressedPoint(point)) return null
  if (last?.curve === curve && compressesTo(last.uncompressed, point)) return last.uncompressed
  try {
    const uncompressed = ECDH.convertKey(point, curve, undefined, undefined, "uncompressed")
    if (typeof uncompressed === "string") return null
    last = { curve, uncompressed }
    return uncompressed
  } catch {
    return null
  }
}

/** Says whether a point is the same as a compressed one: x is equal, and y as odd. */
function compressesTo(uncompressed: Buffer, point: Uint8Array): boolean {
  const isOdd = (uncompressed.at(-1) ?? 0) & 1
  return (
    point[0] === (2 | isOdd) &&
    uncompressed.compare(point, 1, COMPRESSED_POINT_BYTES, 1, COMPRESSED_POINT_BYTES) === 0
  )
}

/** Compresses a point. @param point uncompressed */
export function compressPoint(point: Uint8Array): Buffer {
  return writeCompressedPoint(Buffer.allocUnsafe(COMPRESSED_POINT_BYTES), point)
}

/** Imports a point; null when the bytes are not a compressed point of the curve. */
export function importPoint(curve: Curve, point: Uint8Array): KeyObject | null {
  const spki = encodeSubjectPublicKey(curve, point)?.toString("base64")
  // As PEM: given DER or JWK, Node.js first checks, slowly, that the value is not already a key object.
  return spki === undefined
    ? null
    : createPublicKey(`-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----`)
}

/**
 * Encodes a compressed point as SubjectPublicKeyInfo (RFC 5480), in DER, which key management services take; null when
 * the bytes are not a compressed point of the curve.
 */
export function encodeSubjectPublicKey(curve: Curve, point: Uint8Array): Buffer | null {
  const uncompressed = uncompressPoint(curve, point)
  return uncompressed === null ? null : Buffer.concat([NAMED_CURVE_PREFIXES[curve], uncompressed])
}

/** Decodes the same. @returns the compressed point, 33 bytes @throws TypeError when it is anything else */
export function decodeSubjectPublicKey(curve: Curve, spki: Uint8Array): Buffer {
  const prefix = NAMED_CURVE_PREFIXES[curve]
  const point = Buffer.from(spki.subarray(prefix.length))
  const compressed = point.length === UNCOMPRESSED_POINT_BYTES ? compressPoint(point) : null
  if (compressed === null || encodeSubjectPublicKey(curve, compressed)?.equals(spki) !== true) {
    throw new TypeError("The bytes are not a public key of the curve")
  }
  return compressed
}

/**
 * Returns the uncompressed form of a public key: 0x04, x, y (65 bytes).
 *
 * @param publicKey compressed, 33 bytes
 * @throws TypeError when it is not a compressed point of the curve
 */
export function uncompressPublicKey(curve: Curve, publicKey: Uint8Array): Buffer {
  const uncompressed = uncompressPoint(curve, publicKey)
  if (uncompressed === null) throw new TypeError("The public key is not a compressed point of the curve")
  return Buffer.from(uncompressed)
}
