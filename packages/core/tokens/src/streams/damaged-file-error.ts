/** Thrown when a streaming file was truncated, reordered, spliced, extended or changed, or the key is another file's. */
export class DamagedFileError extends Error {
  override readonly name = "DamagedFileError"

  constructor() {
    super("The file cannot be decrypted: it is damaged, or it is another file")
  }
}
