import { createRandomIds } from "@sealway/kernel"

const ID_BYTES = 12

/** Makes ids of requests: 16 characters. */
export function createRequestIds(): () => string {
  return createRandomIds(ID_BYTES)
}
