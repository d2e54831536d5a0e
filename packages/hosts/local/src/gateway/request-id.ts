import { createRandomIds } from "@sealway/kernel"

const ID_BYTES = 11

/** Creates a generator of request ids in API Gateway's format: 16 characters, the last of them `=`. */
export function createRequestIds(): () => string {
  const next = createRandomIds(ID_BYTES)
  return () => `${next()}=`
}
