/**
 * Bytes as a string with one character per byte (Latin-1). Used for rare cases: it is easy to split and join, and bytes
 * that are not text are preserved.
 */
export type ByteString = string

export function byteStringOf(bytes: Uint8Array, start = 0, end = bytes.length): ByteString {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1", start, end)
}

export function bytesOf(text: ByteString): Buffer<ArrayBuffer> {
  return Buffer.from(text, "latin1")
}

/** Returns the UTF-8 of a text. */
export function utf8Of(text: string): ByteString {
  return Buffer.from(text).toString("latin1")
}

/** Up to this size a loop is faster than the start of a copy in Node.js. */
const FEW_BYTES = 32

/** Copies the bytes `[start, end)`. @returns the position after the copy */
export function copyBytes(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
  const length = end - start
  if (length > FEW_BYTES) source.copy(target, at, start, end)
  else for (let index = 0; index < length; index++) target[at + index] = source[start + index] ?? 0
  return at + length
}
