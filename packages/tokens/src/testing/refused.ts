import { expect } from "vitest"
import type { InvalidTokenError } from "../invalid-token-error.ts"

/** What every failed opening looks like, so that nothing in it tells which check failed. */
export const refusal: InvalidTokenError = expect.objectContaining({
  name: "InvalidTokenError",
  code: "invalid-request",
  message: "The value cannot be decrypted",
})
