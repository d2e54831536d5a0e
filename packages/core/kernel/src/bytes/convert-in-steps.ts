import type { Work } from "../work/work.ts"

/** How much one step converts, in bytes or characters: a fraction of a millisecond of work. */
const PIECE_LENGTH = 1_572_864

/** Encodes base64 with padding (RFC 4648, section 4), like `toString("base64")`, in steps. */
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

/** Decodes like `Buffer.from(text, "base64")`, in steps. Skips everything that is not base64. */
export function* decodeBase64InSteps(text: string): Work<Buffer> {
  if (text.length <= PIECE_LENGTH) return Buffer.from(text, "base64")
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(text, "base64"))
  let length = 0
  for (let at = 0; at < text.length; at += PIECE_LENGTH) {
    yield
    const piece = text.slice(at, at + PIECE_LENGTH)
    const written = bytes.write(piece, length, "base64")
    length += written
    // Something was skipped, so the rest does not start with a group of four.
    if (at + PIECE_LENGTH < text.length && written !== (PIECE_LENGTH / 4) * 3)
      return Buffer.from(text, "base64")
  }
  return bytes.subarray(0, length)
}

/** Decodes bytes that are valid UTF-8, in steps. */
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

/** Encodes like `Buffer.from(text)`, in steps. */
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

/** Splits UTF-8 into pieces that do not end within a character. They are views. */
export function* piecesOfUtf8(bytes: Buffer, length: number): Generator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; ) {
    const end = startOfCharacter(bytes, at + length)
    yield bytes.subarray(at, end)
    at = end
  }
}

/** Splits a text into pieces that do not end within a surrogate pair. */
export function* piecesOfText(text: string, length: number): Generator<string, void, void> {
  for (let at = 0; at < text.length; ) {
    const end = at + length + (isSurrogatePair(text, at + length - 1) ? 1 : 0)
    yield text.slice(at, end)
    at = end
  }
}

/** A character has at most four bytes, and all but the first are recognisable. */
function startOfCharacter(bytes: Buffer, end: number): number {
  for (let at = end; at > end - 4; at--) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at
  return end
}

function isSurrogatePair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff
}
