/** A streamed file is larger than its reader allows. */
export class FileTooLargeError extends Error {
  override readonly name = "FileTooLargeError"
  readonly code = "payload-too-large"

  constructor() {
    super("The file is too large")
  }
}
