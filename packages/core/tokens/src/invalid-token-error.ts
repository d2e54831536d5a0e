import { SealwayError } from "@sealway/kernel"
/**
 * Thrown whenever opening a token or file fails. Another app's key, a flipped bit, an unknown version and a malformed
 * point look alike, so the answer does not reveal which check failed.
 */
export class InvalidTokenError extends SealwayError {
  override readonly name: string = "InvalidTokenError"

  constructor() {
    super("invalid-request", "The value cannot be decrypted")
  }
}
