import { SealwayError } from "@sealway/kernel"
/** The bytes are not a zip that we unpack. The message says why, without names. */
export class InvalidZipError extends SealwayError {
  override readonly name = "InvalidZipError"
  /** True when it is valid but too large. */
  readonly tooLarge: boolean

  constructor(message: string, { tooLarge = false, ...options }: ErrorOptions & { tooLarge?: boolean } = {}) {
    super(tooLarge ? "payload-too-large" : "invalid-request", message, options)
    this.tooLarge = tooLarge
  }
}

export function damagedZip(cause?: unknown): InvalidZipError {
  return new InvalidZipError("The zip is damaged.", { cause })
}
