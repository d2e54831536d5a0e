import { piecesOfUtf8 } from "../bytes/convert-in-steps.ts"
import type { Work } from "../work/work.ts"

/** How much one step writes, in bytes: a fraction of a millisecond of work. */
const PIECE_BYTES = 65_536

/** Up to this size, looking at each byte is faster than what looks for escapes. */
const SHORT_BYTES = 256

/** The characters of ASCII that a JSON string has as they are. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c ? 1 : 0,
)

/**
 * Writes a text as a JSON string, quotes included: in pieces and in steps if it is large.
 *
 * @param text UTF-8
 */
export function writeJsonString(text: Buffer): string | Work<readonly string[]> {
  if (text.length > PIECE_BYTES) return writePieces(text)
  return isPlainAndShort(text) ? `"${text.latin1Slice(0, text.length)}"` : JSON.stringify(text.toString())
}

function isPlainAndShort(text: Buffer): boolean {
  if (text.length > SHORT_BYTES) return false
  for (let at = 0; at < text.length; at++) if (IS_PLAIN[text[at] ?? 0] === 0) return false
  return true
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
