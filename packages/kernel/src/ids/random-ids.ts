import { createRandomPool } from "./random-pool.ts"

/** Makes ids that say nothing, in base64url. @param bytes random bytes of each */
export function createRandomIds(bytes: number): () => string {
  const randomBytes = createRandomPool(bytes)
  return () => randomBytes().toString("base64url")
}
