import { diffieHellman, generateKeyPairSync } from "node:crypto"
import type { AppPublicKey } from "./app-public-key.ts"
import { type ContentKey, deriveX963Key } from "./content-key.ts"
import { compressPoint } from "./curve.ts"
import { SCALAR_BYTES, UNCOMPRESSED_POINT_BYTES } from "./sizes.ts"

/** What is kept of an ephemeral key pair. Its private key is dropped as soon as the content key is known. */
export interface EphemeralKey {
  /** Compressed, 33 bytes. */
  readonly publicKey: Buffer
  readonly contentKey: ContentKey
}

/** Creates a P-256 key pair and agrees on a secret with the app's key. */
export function createEphemeralKey(app: AppPublicKey): EphemeralKey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  // The coordinates of a JWK are the fastest way to get the point; they are always 32 bytes (RFC 7518, section 6.2.1).
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  const point = Buffer.alloc(UNCOMPRESSED_POINT_BYTES)
  point[0] = 0x04
  point.write(x, 1, "base64url")
  point.write(y, 1 + SCALAR_BYTES, "base64url")
  const sharedSecret = diffieHellman({ privateKey, publicKey: app.key })
  const contentKey = deriveX963Key("prime256v1", sharedSecret, point)
  sharedSecret.fill(0)
  return { publicKey: compressPoint(point), contentKey }
}
