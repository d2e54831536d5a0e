import type { Work } from "../work/work.ts"

/** What is converted at once, in bytes or characters: as much as takes a fraction of a millisecond. */
const PIECE_LENGTH = 1_572_864

/** Base64 with padding (RFC 4648, section 4): what `toString("base64")` gives, in steps. */
export function* encodeBase64InSteps(bytes: Buffer): Work<string> {
  if (bytes.length <= PIECE_LENGTH) return bytes.toString("base64")
  const pieces: string[] = []
  // A multiple of three bytes is encoded as if nothing followed.
  for (let at = 0; at < bytes.length; at += PIECE_LENGTH) {
    yield
    pieces.push(bytes.toString("base64", at, at + PIECE_LENGTH))
  }
  yield
  return pieces.join("")
}

/** What `Buffer.from(text, "base64")` gives, in steps: that skips whatever is not base64. */
export function* decodeBase64InSteps(text: string): Work<Buffer> {
  if (text.length <= PIECE_LENGTH) return Buffer.from(text, "base64")
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(text, "base64"))
  let length = 0
  for (let at = 0; at < text.length; at += PIECE_LENGTH) {
    yield
    const piece = text.slice(at, at + PIECE_LENGTH)
    const written = bytes.write(piece, length, "base64")
    length += written
    // Something was skipped: the rest does not begin with a group of four.
    if (at + PIECE_LENGTH < text.length && written !== (PIECE_LENGTH / 4) * 3)
      return Buffer.from(text, "base64")
  }
  return bytes.subarray(0, length)
}

/** The text of bytes that are valid UTF-8, in steps. */
export function* decodeUtf8InSteps(bytes: Buffer): Work<string> {
  if (bytes.length <= PIECE_LENGTH) return bytes.toString("utf8")
  const pieces: string[] = []
  for (const piece of piecesOfUtf8(bytes, PIECE_LENGTH)) {
    yield
    pieces.push(piece.toString())
  }
  yield
  return pieces.join("")
}

/** What `Buffer.from(text)` gives, in steps. */
export function* encodeUtf8InSteps(text: string): Work<Buffer> {
  if (text.length <= PIECE_LENGTH) return Buffer.from(text)
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(text))
  let length = 0
  for (const piece of piecesOfText(text, PIECE_LENGTH)) {
    yield
    length += bytes.write(piece, length)
  }
  return bytes
}

/** UTF-8 in pieces that stand alone: none ends within a character. They are views. */
export function* piecesOfUtf8(bytes: Buffer, length: number): Generator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; ) {
    const end = startOfCharacter(bytes, at + length)
    yield bytes.subarray(at, end)
    at = end
  }
}

/** A text in pieces that stand alone: none ends between the two halves of a surrogate pair. */
export function* piecesOfText(text: string, length: number): Generator<string, void, void> {
  for (let at = 0; at < text.length; ) {
    const end = at + length + (isSurrogatePair(text, at + length - 1) ? 1 : 0)
    yield text.slice(at, end)
    at = end
  }
}

/** A character has four bytes at most, all but the first of which say that they are none. */
function startOfCharacter(bytes: Buffer, end: number): number {
  for (let at = end; at > end - 4; at--) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at
  return end
}

function isSurrogatePair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff
}
