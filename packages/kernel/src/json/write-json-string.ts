import { piecesOfText } from "../bytes/convert-in-steps.ts"
import type { Work } from "../work/work.ts"

/** What is written at once, in bytes or UTF-16 code units: as much as takes a fraction of a millisecond. */
const PIECE_LENGTH = 65_536

/**
 * A text as a JSON string, quotes included: in pieces and in steps where it is large.
 *
 * @param text UTF-8
 */
export function writeJsonString(text: Buffer): string | Work<readonly string[]> {
  return text.length <= PIECE_LENGTH ? JSON.stringify(text.toString()) : writePieces(text.toString())
}

function* writePieces(text: string): Work<readonly string[]> {
  const pieces = ['"']
  for (const piece of piecesOfText(text, PIECE_LENGTH)) {
    yield
    pieces.push(JSON.stringify(piece).slice(1, -1))
  }
  pieces.push('"')
  return pieces
}
