import { hkdfSync, timingSafeEqual } from "node:crypto"
import type { ContentKey } from "../crypto/content-key.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import type { StreamHeader } from "./read-stream-header.ts"
import { COMMITMENT_BYTES, STREAM_KEY_BYTES, streamKeyInfo } from "./stream-header.ts"

/**
 * Derives the key of a streaming file's chunks, and checks the header with it. A header that was changed in any way, the
 * role included, gives another key and another commitment.
 *
 * @param contentKey for this header's key segment, as for tokens
 * @param appPublicKey the app's P-256 key, compressed, 33 bytes
 * @returns 32 bytes, which open this file and nothing else
 * @throws InvalidTokenError when the file was not sealed to this key, or its header was changed
 */
export function deriveStreamKey(
  { bytes, salt }: StreamHeader,
  contentKey: ContentKey,
  appPublicKey: Uint8Array,
): Buffer {
  const end = bytes.length - COMMITMENT_BYTES
  const { key, commitment } = deriveStreamKeys(bytes.subarray(0, end), salt, contentKey, appPublicKey)
  if (!timingSafeEqual(commitment, bytes.subarray(end))) throw new InvalidTokenError()
  return key
}

/** @param header without its commitment */
export function deriveStreamKeys(
  header: Uint8Array,
  salt: Uint8Array,
  contentKey: ContentKey,
  appPublicKey: Uint8Array,
): { readonly key: Buffer; readonly commitment: Buffer } {
  const info = streamKeyInfo(header, appPublicKey)
  const derived = Buffer.from(hkdfSync("sha256", contentKey, salt, info, STREAM_KEY_BYTES + COMMITMENT_BYTES))
  return { key: derived.subarray(0, STREAM_KEY_BYTES), commitment: derived.subarray(STREAM_KEY_BYTES) }
}
