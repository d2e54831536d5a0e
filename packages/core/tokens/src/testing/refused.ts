import { expect } from "vitest"
import type { InvalidTokenError } from "../invalid-token-error.ts"

/** The error of every failed opening: nothing in it tells which check failed. */
export const refusal: InvalidTokenError = expect.objectContaining({
  name: "InvalidTokenError",
  code: "invalid-request",
  message: "The value cannot be decrypted",
})
