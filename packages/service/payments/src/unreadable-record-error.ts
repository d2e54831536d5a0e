/** The record was not written with this app's keys, or not by this version. */
export class UnreadableRecordError extends Error {
  override readonly name = "UnreadableRecordError"

  constructor(options: ErrorOptions) {
    super("A payments record cannot be decrypted", options)
  }
}
