const LINE_FEED = 0x0a

/** A line as it was read, its line feed included. */
export interface Line {
  /** Null when the line is longer than the limit. */
  readonly bytes: Buffer | null
  readonly sizeBytes: number
}

/** Reads lines, those of a chunk at a time. What is longer than `maxBytes` is counted and not kept. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<readonly Line[]> {
  let kept: Uint8Array[] = []
  let sizeBytes = 0
  const add = (piece: Uint8Array) => {
    sizeBytes += piece.length
    if (sizeBytes > maxBytes) kept = []
    else kept.push(piece)
  }
  const finishLine = (): Line => {
    const line = { bytes: sizeBytes > maxBytes ? null : joined(kept), sizeBytes }
    kept = []
    sizeBytes = 0
    return line
  }
  for await (const chunk of chunks) {
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end + 1))
      lines.push(finishLine())
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
    if (lines.length > 0) yield lines
  }
  if (sizeBytes > 0) yield [finishLine()]
}

function joined(pieces: readonly Uint8Array[]): Buffer {
  const [only] = pieces
  if (pieces.length !== 1 || only === undefined) return Buffer.concat(pieces)
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength)
}
