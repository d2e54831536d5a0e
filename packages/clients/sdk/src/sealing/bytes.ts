/** Returns the bytes as a view; null when it is something else. Knows those of other realms too, such as a frame's. */
export function viewOfBytes(data: unknown): Uint8Array | null {
  const tag = Object.prototype.toString.call(data)
  if (tag === "[object Uint8Array]" && ArrayBuffer.isView(data)) {
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  }
  return tag === "[object ArrayBuffer]" && isBuffer(data) ? new Uint8Array(data) : null
}

/** False for an object that only calls itself one, of which a view would be empty. */
function isBuffer(data: unknown): data is ArrayBuffer {
  try {
    ArrayBuffer.prototype.slice.call(data, 0, 0)
    return true
  } catch {
    return false
  }
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
