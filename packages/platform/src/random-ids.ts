import { randomFillSync } from "node:crypto"

const IDS_PER_DRAW = 512

/**
 * Makes ids that say nothing, in base64url. A pool of them is drawn at once, because the draw costs more than all the rest.
 *
 * @param bytes random bytes of each
 */
export function createRandomIds(bytes: number): () => string {
  const pool = Buffer.alloc(bytes * IDS_PER_DRAW)
  let next = pool.length
  return () => {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    const id = pool.toString("base64url", next, next + bytes)
    next += bytes
    return id
  }
}
