/** A value, or a token, that is not one of the format. The message says why, and nothing of what it was. */
export class UnfitTextError extends Error {
  /** Which of the batch, from 0. */
  readonly index: number

  constructor(reason: string, index = 0) {
    super(reason)
    this.name = "UnfitTextError"
    this.index = index
  }
}
