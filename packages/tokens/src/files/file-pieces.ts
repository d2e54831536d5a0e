/** What is encrypted at once: as much as takes a fraction of a millisecond. */
const PIECE_BYTES = 262_144

/** The bytes of a file in pieces, which are views. */
export function* filePieces(bytes: Uint8Array): Generator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}
