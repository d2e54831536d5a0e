import type { Turns } from "@sealway/kernel"

/** Processing so many takes a fraction of a slice. */
const PIECE_BYTES = 65_536

/** Yields a body in pieces of a bounded size, each in a turn of its own: Node.js reads up to 2 MB in one. */
export async function* inTurns(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  turns: Turns,
): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      await turns.next()
      yield chunk.subarray(at, at + PIECE_BYTES)
    }
  }
}

/** Yields pieces, and keeps none of those it has yielded. */
export function* drain(chunks: Buffer[]): Generator<Buffer, void, void> {
  chunks.reverse()
  for (let chunk = chunks.pop(); chunk !== undefined; chunk = chunks.pop()) yield chunk
}
