import { createRandomIds } from "@sealway/kernel"

const ID_BYTES = 11

/** Makes request ids in the shape of API Gateway's: 16 characters, the last of them `=`. */
export function createRequestIds(): () => string {
  const next = createRandomIds(ID_BYTES)
  return () => `${next()}=`
}
