import { randomBytes } from "node:crypto"
import { joinBytes } from "../clients/join-bytes.ts"
import { SALT_BYTES } from "../crypto/sizes.ts"
import type { SymmetricKeys } from "../values/symmetric-keys.ts"
import type { StartedStream } from "./start-stream.ts"
import { type StreamHeaderFields, writeStreamHeader } from "./stream-header.ts"
import { deriveStreamKeys } from "./stream-key.ts"

/**
 * Starts a streaming file with a content key of its own. What is returned opens this file only, and does not lead to the
 * content key: it may leave the service.
 *
 * @throws TypeError when the role is not a slug or the time is not a uint32
 */
export function startSymmetricStream(
  keys: Pick<SymmetricKeys, "createContentKey">,
  fields: Pick<StreamHeaderFields, "chunkBytes" | "role" | "encryptedAt">,
): StartedStream {
  const { keySegment, contentKey, appPublicKey, debug } = keys.createContentKey()
  const salt = randomBytes(SALT_BYTES)
  const header = writeStreamHeader({ ...fields, keySegment, salt, debug })
  const { key, commitment } = deriveStreamKeys(header, salt, contentKey, appPublicKey)
  return { header: joinBytes([header, commitment]), key: Uint8Array.from(key) }
}
