import { KDF_INFIX_OF_P256 } from "../../crypto/kdf-infixes.ts"
import { writeCompressedPoint } from "../../crypto/points.ts"
import { COMPRESSED_POINT_BYTES, SCALAR_BYTES } from "../../crypto/sizes.ts"
import { requireUncompressedPoint, WRONG_APP_KEY } from "../client-sealing.ts"
import { joinBytes } from "../join-bytes.ts"
import { subtle, type WebKey } from "./web-crypto.ts"

/** A P-256 key of an app, imported once and used for any number of key agreements. */
export interface WebAppKey {
  /** Compressed, 33 bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly key: WebKey
}

const P256 = { name: "ECDH", namedCurve: "P-256" } as const

/** Imports an app's public key. Rejects with a TypeError when it is not a point of P-256. @param point uncompressed */
export async function importWebAppKey(point: Uint8Array): Promise<WebAppKey> {
  requireUncompressedPoint(point)
  const copy = Uint8Array.from(point)
  const key = await subtle()
    .importKey("raw", copy, P256, false, [])
    .catch(() => {
      throw new TypeError(WRONG_APP_KEY)
    })
  return { bytes: writeCompressedPoint(new Uint8Array(COMPRESSED_POINT_BYTES), copy), key }
}

/** What is kept of an ephemeral key pair. */
export interface WebEphemeralKey<Keys> {
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array<ArrayBuffer>
  readonly contentKeys: Keys
}

/**
 * Creates a P-256 key pair, agrees on a secret with the app's key and derives the content key.
 *
 * @param importContentKeys imports the content key for what it is used for; its bytes are wiped afterwards
 */
export async function createWebEphemeralKey<Keys>(
  app: WebAppKey,
  importContentKeys: (bytes: Uint8Array<ArrayBuffer>) => Promise<Keys>,
): Promise<WebEphemeralKey<Keys>> {
  const { publicKey, privateKey } = await subtle().generateKey(P256, false, ["deriveBits"])
  const [point, secret] = await Promise.all([
    subtle().exportKey("raw", publicKey),
    subtle().deriveBits({ name: "ECDH", public: app.key }, privateKey, 8 * SCALAR_BYTES),
  ])
  const sharedSecret = new Uint8Array(secret)
  const bytes = await deriveWebContentKey(sharedSecret, new Uint8Array(point))
  sharedSecret.fill(0)
  const publicPoint = writeCompressedPoint(new Uint8Array(COMPRESSED_POINT_BYTES), new Uint8Array(point))
  try {
    return { publicKey: publicPoint, contentKeys: await importContentKeys(bytes) }
  } finally {
    bytes.fill(0)
  }
}

/** Derives a content key with the ANSI X9.63 KDF. @param point the ephemeral key, uncompressed */
export async function deriveWebContentKey(
  sharedSecret: Uint8Array,
  point: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const input = joinBytes([sharedSecret, KDF_INFIX_OF_P256, point])
  const key = new Uint8Array(await subtle().digest("SHA-256", input))
  input.fill(0)
  return key
}
