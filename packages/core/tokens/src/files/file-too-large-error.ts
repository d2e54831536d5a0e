import { SealwayError } from "@sealway/kernel"
/** Thrown when a streamed file is larger than its reader allows. */
export class FileTooLargeError extends SealwayError {
  override readonly name = "FileTooLargeError"

  constructor() {
    super("payload-too-large", "The file is too large")
  }
}
