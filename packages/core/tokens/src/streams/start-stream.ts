import { joinBytes } from "../clients/join-bytes.ts"
import { createWebEphemeralKey, importWebAppKey } from "../clients/web/ephemeral-key.ts"
import { subtle } from "../clients/web/web-crypto.ts"
import { SALT_BYTES } from "../crypto/sizes.ts"
import {
  COMMITMENT_BYTES,
  STREAM_KEY_BYTES,
  type StreamHeaderFields,
  streamKeyInfo,
  writeStreamHeader,
} from "./stream-header.ts"

export interface NewStream extends Pick<StreamHeaderFields, "chunkBytes" | "debug" | "role" | "encryptedAt"> {
  /** The app's P-256 key, uncompressed, 65 bytes. */
  readonly appPublicKey: Uint8Array
}

/** A streaming file that is to be sealed. */
export interface StartedStream {
  /** What the sealed file begins with. */
  readonly header: Uint8Array<ArrayBuffer>
  /** The key of its chunks, 32 bytes. It opens this file and nothing else. */
  readonly key: Uint8Array<ArrayBuffer>
}

/**
 * Starts a streaming file with an ephemeral key pair of its own, of which only the public key is kept.
 *
 * @throws TypeError when the app's key is not a point of P-256, or the role is not a slug
 */
export async function startStream({ appPublicKey, ...fields }: NewStream): Promise<StartedStream> {
  const app = await importWebAppKey(appPublicKey)
  const { publicKey, contentKeys: contentKey } = await createWebEphemeralKey(app, (bytes) =>
    subtle().importKey("raw", bytes, "HKDF", false, ["deriveBits"]),
  )
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
  const header = writeStreamHeader({ ...fields, keySegment: publicKey, salt })
  const info = streamKeyInfo(header, app.bytes)
  const algorithm = { name: "HKDF", hash: "SHA-256", salt, info }
  const bits = 8 * (STREAM_KEY_BYTES + COMMITMENT_BYTES)
  const derived = new Uint8Array(await subtle().deriveBits(algorithm, contentKey, bits))
  return {
    header: joinBytes([header, derived.subarray(STREAM_KEY_BYTES)]),
    key: derived.slice(0, STREAM_KEY_BYTES),
  }
}
