import { randomFillSync } from "node:crypto"

const ID_BYTES = 12
const IDS_PER_DRAW = 512

/** Makes ids of requests: 96 random bits each, base64url. A pool of them is drawn at once, which costs far less. */
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
    return id
  }
}
