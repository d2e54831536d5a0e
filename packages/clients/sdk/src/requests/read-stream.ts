import { joinBytes } from "@sealway/tokens/portable"
import { viewOfBytes } from "../sealing/bytes.ts"
import type { ByteStream } from "./fetch.ts"

/**
 * Reads a stream to its end. Returns null, and cancels it, when it has more than `maxBytes`.
 *
 * @throws TypeError if it is a stream of anything but bytes
 */
export async function readStream(
  stream: ByteStream,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const piece of piecesOf(stream)) {
    const chunk = viewOfBytes(piece)
    if (chunk === null) throw new TypeError("The stream must consist of Uint8Array.")
    length += chunk.length
    if (length > maxBytes) return null
    chunks.push(chunk)
  }
  return joinBytes(chunks)
}

/** Yields what a stream consists of. Cancels the stream when the reader wants no more. */
export async function* piecesOf<Piece>(
  stream: ReadableStream<Piece> | AsyncIterable<Piece> | null,
): AsyncGenerator<Piece, void, void> {
  if (stream === null) return
  if (!("getReader" in stream)) return yield* stream
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}
