/** The bytes of chunks. Those of a single one are not copied. */
export function joinChunks(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks)
}
