import { createSecretKey } from "node:crypto"
import type { ContentKey } from "./content-key.ts"

/**
 * Returns the bytes of a content key that is kept for long: thousands of key objects that live so long end together, in one
 * pause of the garbage collector. Overwrite them when they are dropped.
 */
export function contentKeyBytes(key: ContentKey): Buffer {
  const exported = key.export()
  // A copy in the pool of small buffers: what Node.js exports has memory of its own.
  const bytes = Buffer.from(exported)
  exported.fill(0)
  return bytes
}

/** Returns a content key that was kept as bytes. */
export function contentKeyOf(bytes: Buffer): ContentKey {
  return createSecretKey(bytes)
}
