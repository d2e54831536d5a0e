import { createRandomPool } from "./random-pool.ts"

/** Creates a generator of meaningless ids, in base64url. @param bytes the number of random bytes per id */
export function createRandomIds(bytes: number): () => string {
  const randomBytes = createRandomPool(bytes)
  return () => randomBytes().toString("base64url")
}
