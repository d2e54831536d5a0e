import { createRandomIds } from "@sealway/kernel"

const ID_BYTES = 12

/** Creates a generator of request ids: 16 characters. */
export function createRequestIds(): () => string {
  return createRandomIds(ID_BYTES)
}
