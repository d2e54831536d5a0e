import { SealwayError } from "@sealway/kernel"
/** A streamed file is larger than its reader allows. */
export class FileTooLargeError extends SealwayError {
  override readonly name = "FileTooLargeError"

  constructor() {
    super("payload-too-large", "The file is too large")
  }
}
