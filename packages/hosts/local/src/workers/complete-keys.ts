import type { Platform } from "@sealway/http"
import { fillMissingKeyParts } from "@sealway/management"

export interface CompletingKeys {
  /** Resolves when the current app is done; the rest is done after the next start. */
  close(): Promise<void>
}

/**
 * Adds missing parts to the key versions of a data folder of an earlier release, once and in the background: until then
 * this process opens their private part instead.
 */
export function startCompletingKeys(platform: Platform): CompletingKeys {
  const stop = new AbortController()
  const running = fillMissingKeyParts(platform, stop.signal).catch((error) =>
    platform.log.error("adding the missing parts of key versions failed", { error }),
  )
  return {
    async close() {
      stop.abort()
      await running
    },
  }
}
