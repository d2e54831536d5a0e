/** A file of BIN data cannot be imported. The message names the record, never what it contains. */
export class BinFileError extends Error {
  override readonly name = "BinFileError"
}
