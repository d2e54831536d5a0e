import { randomFillSync } from "node:crypto"

const ID_BYTES = 11
const IDS_PER_DRAW = 512

/**
 * Makes request ids in the shape of API Gateway's: 16 characters, the last of them `=`. 88 random bits each; a pool of
 * them is drawn at once, because the draw costs more than all the rest.
 */
export function createRequestIds(): () => string {
  const pool = Buffer.alloc(ID_BYTES * IDS_PER_DRAW)
  let next = pool.length
  return () => {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    const id = pool.toString("base64url", next, next + ID_BYTES)
    next += ID_BYTES
    return `${id}=`
  }
}
