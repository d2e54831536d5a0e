/**
 * A text that cannot be said in the place where it is to stand: a line feed in a header, a control character in XML.
 * Such a text is refused, never changed. `message` is for people and holds nothing of it.
 */
export class UnwritableValueError extends Error {
  override readonly name = "UnwritableValueError"
}
