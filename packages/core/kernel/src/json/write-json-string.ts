import { piecesOfUtf8 } from "../bytes/convert-in-steps.ts"
import type { Work } from "../work/work.ts"
import { endOfPlainText } from "./scan-json.ts"

/** How much one step writes, in bytes: a fraction of a millisecond of work. */
const PIECE_BYTES = 65_536

/** Up to this size, looking at each byte is faster than what looks for escapes. */
const SHORT_BYTES = 256

/**
 * Writes a text as a JSON string, quotes included: in pieces and in steps if it is large.
 *
 * @param text UTF-8
 */
export function writeJsonString(text: Buffer): string | Work<readonly string[]> {
  if (text.length > PIECE_BYTES) return writePieces(text)
  const isPlain = text.length <= SHORT_BYTES && endOfPlainText(text, 0, text.length) === text.length
  return isPlain ? `"${text.toString()}"` : JSON.stringify(text.toString())
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
