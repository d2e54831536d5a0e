import { SealwayError } from "@sealway/kernel"

/** Every attestation that is refused, whatever the reason: a caller learns nothing about which check failed. */
export class InvalidAttestationError extends SealwayError {
  override readonly name = "InvalidAttestationError"
  constructor(options?: ErrorOptions) {
    super("unauthorized", "The attestation is not valid for this request.", options)
  }
}
