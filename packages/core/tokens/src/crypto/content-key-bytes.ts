import { createSecretKey } from "node:crypto"
import type { ContentKey } from "./content-key.ts"

/**
 * Returns the bytes of a content key, to keep it for a while: the garbage collector frees thousands of old key objects in one
 * long pause. Overwrite the bytes when you drop them, if they outlive a request.
 */
export function contentKeyBytes(key: ContentKey): Buffer {
  const exported = key.export()
  // Copied, because Node.js allocates memory for each export. Small copies share theirs.
  const bytes = Buffer.from(exported)
  exported.fill(0)
  return bytes
}

/** Returns a content key that was kept as bytes. */
export function contentKeyOf(bytes: Buffer): ContentKey {
  return createSecretKey(bytes)
}
