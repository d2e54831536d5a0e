import { SealwayError } from "@sealway/kernel"
/**
 * Every failed opening of a token or file. Another app's key, a flipped bit, an unknown version and a malformed
 * point look alike, so that nobody learns from the answer which check failed.
 */
export class InvalidTokenError extends SealwayError {
  override readonly name = "InvalidTokenError"

  constructor() {
    super("invalid-request", "The value cannot be decrypted")
  }
}
