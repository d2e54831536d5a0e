import { createSecretKey, hkdfSync, randomBytes } from "node:crypto"
import { createId, ID_RANDOM_BYTES, type IdPrefix, randomPartOf } from "@sealway/kernel"

/** The source of ids and secrets for endpoints. */
export interface Draws {
  /** Creates an id. @param timeMs epoch milliseconds */
  newId(prefix: IdPrefix, timeMs: number): string
  /** Returns unpredictable bytes. */
  randomBytes(size: number): Buffer
}

/** For requests that are not repeated. */
export const RANDOM_DRAWS: Draws = { newId: (prefix, timeMs) => createId(prefix, timeMs), randomBytes }

/** Draws that give the same values in the same order for the same seed. */
export interface DerivedDraws extends Draws {
  /** Whether an id is one of the first few of its kind that are drawn. */
  isOwnId(id: string): boolean
}

/** How many ids of one kind a request creates. */
const MAX_OWN_IDS = 8

/** @param seed 32 unpredictable bytes */
export function createDerivedDraws(seed: Uint8Array): DerivedDraws {
  const drawn = new Map<string, number>()
  const ownIds = new Map<string, ReadonlySet<string>>()
  const key = createSecretKey(seed)
  const derive = (label: string, size: number) =>
    Buffer.from(hkdfSync("sha256", key, "", `sealway/v1/once/${label}`, size))
  const deriveId = (prefix: string, index: number) => derive(`id/${prefix}/${index}`, ID_RANDOM_BYTES)
  const next = (label: string) => {
    const index = drawn.get(label) ?? 0
    drawn.set(label, index + 1)
    return index
  }
  return {
    newId: (prefix, timeMs) => createId(prefix, timeMs, deriveId(prefix, next(`id/${prefix}`))),
    randomBytes: (size) => derive(`bytes/${size}/${next(`bytes/${size}`)}`, size),
    isOwnId(id) {
      const prefix = id.slice(0, Math.max(0, id.lastIndexOf("_")))
      let own = ownIds.get(prefix)
      if (own === undefined) {
        own = new Set(
          Array.from({ length: MAX_OWN_IDS }, (_, index) => randomPartOf(deriveId(prefix, index))),
        )
        ownIds.set(prefix, own)
      }
      return own.has(id.slice(-ID_RANDOM_BYTES))
    },
  }
}
