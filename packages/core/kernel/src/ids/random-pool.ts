import { randomFillSync } from "node:crypto"

const SHARES_PER_DRAW = 512

/**
 * Creates a source of random bytes that draws many at once, because a draw costs more than everything done with them.
 *
 * @param bytes the size of each share
 * @returns a function that returns the next share, to be read immediately: the next draw overwrites the pool
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
