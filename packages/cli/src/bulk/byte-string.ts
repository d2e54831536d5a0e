/**
 * Bytes as a string with one character a byte (Latin-1). Rows are kept this way: it is cheap to cut and join, and bytes
 * that are no text stay what they are.
 */
export type ByteString = string

export function byteStringOf(bytes: Uint8Array): ByteString {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
}

export function bytesOf(text: ByteString): Buffer<ArrayBuffer> {
  return Buffer.from(text, "latin1")
}

/** The UTF-8 of a text. */
export function utf8Of(text: string): ByteString {
  return Buffer.from(text).toString("latin1")
}
