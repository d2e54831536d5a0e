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
 * Uncompressed points, by the bytes that they were computed from. Both the ECDH and the key derivation need the
 * uncompressed ephemeral key, and computing y takes a third as long as the ECDH itself.
 */
const known = new WeakMap<Uint8Array, { readonly curve: Curve; readonly uncompressed: Buffer }>()

/** Returns the point as 65 bytes; null when the bytes are not a compressed point of the curve. */
export function uncompressPoint(curve: Curve, point: Uint8Array): Buffer | null {
  if (!isCompressedPoint(point)) return null
  const before = known.get(point)
  // The bytes may have changed since.
  if (before?.curve === curve && compressPoint(before.uncompressed).equals(point)) return before.uncompressed
  try {
    const uncompressed = ECDH.convertKey(point, curve, undefined, undefined, "uncompressed")
    if (typeof uncompressed === "string") return null
    known.set(point, { curve, uncompressed })
    return uncompressed
  } catch {
    return null
  }
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
