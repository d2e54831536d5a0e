import { SealwayError } from "@sealway/kernel"
/** A selector is invalid. Its message tells the user who wrote it what is wrong, and may quote it. */
export class SelectorError extends SealwayError {
  override readonly name = "SelectorError"
  /** The position of the first character that is not understood, from 0; null when the whole is refused. */
  readonly position: number | null

  constructor(message: string, position: number | null, options?: ErrorOptions) {
    super("invalid-request", message, options)
    this.position = position
  }
}
