import { finish, type Work } from "@sealway/kernel"

/** What is written at once, in bytes or UTF-16 code units: as much as takes a fraction of a millisecond. */
const PIECE_LENGTH = 65_536

/** Encodes a value, in steps and in pieces where it is large: each piece as if it were a value of its own. */
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

/** What `encodeInSteps` gives, all at once. For callers that nobody waits for. */
export function encodeAtOnce(encoded: string | Work<readonly string[]>): string {
  return typeof encoded === "string" ? encoded : finish(encoded).join("")
}
