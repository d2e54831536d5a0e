import { finish, type Work } from "@sealway/kernel"

/** How much one step writes, in bytes or UTF-16 code units: a fraction of a millisecond of work. */
const PIECE_LENGTH = 65_536

/** Encodes a value; a large one in steps and in pieces, each as if it were a separate value. */
export function encodeInSteps<Value extends Buffer | string>(
  value: Value,
  encode: (piece: Value) => string,
  pieceOf: (value: Value, start: number, end: number) => Value,
): string | Work<readonly string[]> {
  return value.length <= PIECE_LENGTH ? encode(value) : encodePieces(value, encode, pieceOf)
}

function* encodePieces<Value extends Buffer | string>(
  value: Value,
  encode: (piece: Value) => string,
  pieceOf: (value: Value, start: number, end: number) => Value,
): Work<readonly string[]> {
  const pieces: string[] = []
  for (let at = 0; at < value.length; ) {
    yield
    const piece = pieceOf(value, at, at + PIECE_LENGTH)
    pieces.push(encode(piece))
    at += piece.length
  }
  return pieces
}

/** Does what `encodeInSteps` does, all at once. For callers that block no one. */
export function encodeAtOnce(encoded: string | Work<readonly string[]>): string {
  return typeof encoded === "string" ? encoded : finish(encoded).join("")
}
