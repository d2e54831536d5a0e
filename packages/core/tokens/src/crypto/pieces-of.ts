/** How many bytes one step seals or opens: a fraction of a millisecond of work. A multiple of three, for base64, and of the 16 bytes of an AES block. */
const PIECE_BYTES = 98_304

/** Yields bytes in pieces, which are views. */
export function* piecesOf<Memory extends ArrayBufferLike>(
  bytes: Uint8Array<Memory>,
): Generator<Uint8Array<Memory>, void, void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}
