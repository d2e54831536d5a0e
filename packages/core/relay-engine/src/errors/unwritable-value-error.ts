import { SealwayError } from "@sealway/kernel"
/**
 * A text that cannot be written in its place: a line feed in a header, a control character in XML. Such a text is
 * refused, never changed. `message` is for people and contains nothing of it.
 */
export class UnwritableValueError extends SealwayError {
  override readonly name = "UnwritableValueError"
  constructor(detail: string) {
    super("bad-request", detail)
  }
}
