/** Yields the bytes in chunks of a size. The last one may be shorter. The chunks are views. */
export async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream))
}
