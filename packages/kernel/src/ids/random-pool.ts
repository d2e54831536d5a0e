import { randomFillSync } from "node:crypto"

const SHARES_PER_DRAW = 512

/**
 * Gives out random bytes, drawn for many at once, because a draw costs more than all that is done with them.
 *
 * @param bytes of each share
 * @returns gives the next share, to be read at once: the pool is drawn anew over it
 */
export function createRandomPool(bytes: number): () => Buffer {
  const pool = Buffer.alloc(bytes * SHARES_PER_DRAW)
  let next = pool.length
  return () => {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    next += bytes
    return pool.subarray(next - bytes, next)
  }
}
