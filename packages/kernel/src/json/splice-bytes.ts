import { copyInSteps } from "../bytes/join-chunks.ts"
import { Pace } from "../work/pace.ts"
import { finish, type Work } from "../work/work.ts"

const EDITS_PER_STEP = 1_024
const LARGE_BYTES = 65_536

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
  let isAscii = true
  const pace = new Pace(EDITS_PER_STEP)
  for (const { start, end, text } of edits) {
    if (pace.isDue(text.length)) yield
    const textBytes = typeof text === "string" ? Buffer.byteLength(text) : yield* lengthOf(text)
    if (textBytes !== text.length) isAscii = false
    length += textBytes - (end - start)
  }
  // The same bytes, and faster to write.
  const encoding = isAscii ? "latin1" : "utf8"
  const result = Buffer.allocUnsafe(length)
  let from = 0
  let to = 0
  for (const { start, end, text } of edits) {
    if (pace.isDue(text.length)) yield
    if (start - from < LARGE_BYTES) to += bytes.copy(result, to, from, start)
    else to += yield* copyInSteps(bytes.subarray(from, start), result, to)
    to += typeof text === "string" ? result.write(text, to, encoding) : yield* write(text, result, to)
    from = end
  }
  yield* copyInSteps(bytes.subarray(from), result, to)
  return result
}

function* lengthOf(pieces: readonly (string | Buffer)[]): Work<number> {
  let length = 0
  for (const piece of pieces) {
    yield
    length += Buffer.byteLength(piece)
  }
  return length
}

/** @returns how many bytes were written */
function* write(pieces: readonly (string | Buffer)[], bytes: Buffer, start: number): Work<number> {
  let at = start
  for (const piece of pieces) {
    yield
    at += typeof piece === "string" ? bytes.write(piece, at) : yield* copyInSteps(piece, bytes, at)
  }
  return at - start
}
