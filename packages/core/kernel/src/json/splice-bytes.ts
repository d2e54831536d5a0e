import { Pace } from "../work/pace.ts"
import { finish, type Work } from "../work/work.ts"
import { SpliceWriter } from "./splice-writer.ts"

const EDITS_PER_STEP = 1_024

/** The text that replaces the bytes `[start, end)`. */
export interface Edit {
  readonly start: number
  readonly end: number
  /** The pieces of a large text: in UTF-8, or as strings that do not end within a surrogate pair. */
  readonly text: string | readonly (string | Buffer)[]
}

/** Applies edits and keeps everything between them. Edits must be in order and not overlap. */
export function spliceBytes(bytes: Buffer, edits: readonly Edit[]): Buffer {
  return finish(spliceBytesInSteps(bytes, edits))
}

/** `spliceBytes`, in steps. */
export function* spliceBytesInSteps(bytes: Buffer, edits: readonly Edit[]): Work<Buffer> {
  let length = bytes.length
  const pace = new Pace(EDITS_PER_STEP)
  for (const { start, end, text } of edits) {
    if (pace.isDue(text.length)) yield
    length += (typeof text === "string" ? Buffer.byteLength(text) : yield* lengthOf(text)) - (end - start)
  }
  const writer = new SpliceWriter(bytes, length)
  for (const { start, end, text } of edits) {
    if (pace.isDue(text.length)) yield
    const kept = writer.replace(start, end)
    if (kept !== null) yield* kept
    if (typeof text === "string") writer.write(text)
    else yield* writer.writePieces(text)
  }
  return yield* writer.end()
}

function* lengthOf(pieces: readonly (string | Buffer)[]): Work<number> {
  let length = 0
  for (const piece of pieces) {
    yield
    length += Buffer.byteLength(piece)
  }
  return length
}
