import { piecesOfUtf8 } from "../bytes/convert-in-steps.ts"
import type { Work } from "../work/work.ts"

/** What is written at once, in bytes: as much as takes a fraction of a millisecond. */
const PIECE_BYTES = 65_536

/**
 * A text as a JSON string, quotes included: in pieces and in steps where it is large.
 *
 * @param text UTF-8
 */
export function writeJsonString(text: Buffer): string | Work<readonly string[]> {
  return text.length <= PIECE_BYTES ? JSON.stringify(text.toString()) : writePieces(text)
}

function* writePieces(text: Buffer): Work<readonly string[]> {
  const pieces = ['"']
  for (const piece of piecesOfUtf8(text, PIECE_BYTES)) {
    yield
    pieces.push(JSON.stringify(piece.toString()).slice(1, -1))
  }
  pieces.push('"')
  return pieces
}
