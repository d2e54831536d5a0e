/** Reads all of a stream; null when it has more than `maxBytes`. A missing stream is empty. */
export async function readBounded(
  stream: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of stream ?? []) {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
