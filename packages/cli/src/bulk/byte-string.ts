/**
 * Bytes as a string with one character a byte (Latin-1). What is rare is handled this way: it is easy to cut and join, and
 * bytes that are no text stay what they are.
 */
export type ByteString = string

export function byteStringOf(bytes: Uint8Array, start = 0, end = bytes.length): ByteString {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1", start, end)
}

export function bytesOf(text: ByteString): Buffer<ArrayBuffer> {
  return Buffer.from(text, "latin1")
}

/** The UTF-8 of a text. */
export function utf8Of(text: string): ByteString {
  return Buffer.from(text).toString("latin1")
}

/** What Node.js takes to begin a copy is what a loop takes for so many bytes. */
const FEW_BYTES = 32

/** Copies the bytes `[start, end)`. @returns the place behind the copy */
export function copyBytes(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
  const length = end - start
  if (length > FEW_BYTES) source.copy(target, at, start, end)
  else for (let index = 0; index < length; index++) target[at + index] = source[start + index] ?? 0
  return at + length
}
