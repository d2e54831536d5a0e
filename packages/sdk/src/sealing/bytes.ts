/** Returns the bytes as a view; null when it is something else. Knows those of other realms too, such as a frame's. */
export function viewOfBytes(data: unknown): Uint8Array | null {
  const tag = Object.prototype.toString.call(data)
  if (tag === "[object Uint8Array]" && ArrayBuffer.isView(data)) {
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  }
  return tag === "[object ArrayBuffer]" ? new Uint8Array(data as ArrayBuffer) : null
}

/** True for anything that holds bytes rather than values of JSON. */
export function isBinary(data: object): boolean {
  return (
    ArrayBuffer.isView(data) ||
    viewOfBytes(data) !== null ||
    data instanceof Blob ||
    data instanceof ReadableStream
  )
}
