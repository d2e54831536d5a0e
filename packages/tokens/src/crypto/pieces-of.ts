/** What is sealed or opened at once: as much as takes a fraction of a millisecond. A multiple of three. */
const PIECE_BYTES = 98_304

/** Bytes in pieces, which are views. */
export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}
