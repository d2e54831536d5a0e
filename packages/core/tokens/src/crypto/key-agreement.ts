import { createECDH, createPrivateKey, diffieHellman, generateKeyPairSync } from "node:crypto"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { type Curve, importPoint } from "./curve.ts"
import { SCALAR_BYTES } from "./sizes.ts"

/** An app's private key on one curve, in memory. */
export interface KeyAgreement {
  readonly curve: Curve
  /** Compressed, 33 bytes. */
  readonly publicKey: Buffer
  /**
   * Computes the ECDH secret with a token's or a file's ephemeral key.
   *
   * @param ephemeralPublicKey compressed, 33 bytes
   * @returns the x coordinate of the shared point, 32 bytes
   * @throws InvalidTokenError when the ephemeral key is not a compressed point of the curve
   */
  sharedSecret(ephemeralPublicKey: Uint8Array): Buffer
}

/** JWK names of the curves (RFC 7518, RFC 8812). */
const JWK_CURVES = { prime256v1: "P-256", secp256k1: "secp256k1" } as const satisfies Record<Curve, string>

/**
 * Garbage of 12 KiB for each agreement. V8 collects when its own young generation is full, and does not count what an
 * agreement leaves to OpenSSL, which takes longest to free: with 1,800 agreements in a collection, everything waited 30 ms.
 * This garbage fills the young generation sooner, so that less is freed at once, and takes no time to collect itself.
 */
const BALLAST_LENGTH = 1_536
const ballast: { latest: readonly unknown[] } = { latest: [] }

/**
 * Prepares key agreements with a private key.
 *
 * @param privateKey the scalar, 32 bytes, big-endian
 * @throws TypeError when it is not a private key of the curve
 */
export function createKeyAgreement(curve: Curve, privateKey: Uint8Array): KeyAgreement {
  const ecdh = createECDH(curve)
  try {
    if (privateKey.length !== SCALAR_BYTES) throw new RangeError("Wrong length")
    ecdh.setPrivateKey(privateKey)
  } catch {
    throw new TypeError("The private key is not a 32-byte scalar of the curve")
  }
  const point = ecdh.getPublicKey()
  // `diffieHellman` on key objects takes half the time of `ecdh.computeSecret`, which validates its own key on each
  // call.
  const key = createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: JWK_CURVES[curve],
      d: Buffer.from(privateKey).toString("base64url"),
      x: point.toString("base64url", 1, 1 + SCALAR_BYTES),
      y: point.toString("base64url", 1 + SCALAR_BYTES),
    },
  })
  return {
    curve,
    publicKey: ecdh.getPublicKey(null, "compressed"),
    sharedSecret(ephemeralPublicKey) {
      const ephemeral = importPoint(curve, ephemeralPublicKey)
      if (ephemeral === null) throw new InvalidTokenError()
      ballast.latest = new Array(BALLAST_LENGTH)
      return diffieHellman({ privateKey: key, publicKey: ephemeral })
    },
  }
}

/** Generates a private key: the scalar, 32 bytes, big-endian, padded with zeros on the left. */
export function generatePrivateKey(curve: Curve): Buffer {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: curve })
  return Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url")
}
