/** A way to encrypt each value of a document and to decrypt them, set up for one recipient. */
export interface DocumentCipher<Sealed> {
  readonly name: string
  /**
   * How many values of a document are enough to measure, for ciphers that start from scratch with every value, so that
   * the time for a value does not depend on their number.
   */
  readonly sampleSize: number
  encrypt(values: readonly string[]): Sealed | Promise<Sealed>
  /** Null for a cipher that only encrypts. */
  readonly decrypt: ((sealed: Sealed) => readonly string[] | Promise<readonly string[]>) | null
}
