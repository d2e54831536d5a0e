import { hkdfSync, randomBytes } from "node:crypto"
import { createId, ID_RANDOM_BYTES, type IdPrefix, randomPartOf } from "@sealway/kernel"

/** Where an endpoint takes ids and secrets from, and from nowhere else. */
export interface Draws {
  /** A new id. @param timeMs epoch milliseconds */
  newId(prefix: IdPrefix, timeMs: number): string
  /** Bytes that nobody can guess. */
  randomBytes(size: number): Buffer
}

/** For whatever is not repeated. */
export const RANDOM_DRAWS: Draws = { newId: (prefix, timeMs) => createId(prefix, timeMs), randomBytes }

/** Draws that come out the same, in the same order, for everybody who knows the seed. */
export interface DerivedDraws extends Draws {
  /** Whether an id is one of the first few of its kind that come out. */
  isOwnId(id: string): boolean
}

/** Ids of one kind that one request makes. */
const MAX_OWN_IDS = 8

/** @param seed 32 bytes that nobody can guess */
export function createDerivedDraws(seed: Uint8Array): DerivedDraws {
  const drawn = new Map<string, number>()
  const ownIds = new Map<string, ReadonlySet<string>>()
  const derive = (label: string, size: number) =>
    Buffer.from(hkdfSync("sha256", seed, "", `sealway/v1/once/${label}`, size))
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
