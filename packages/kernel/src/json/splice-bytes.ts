import { finish, type Work } from "../work/work.ts"

const EDITS_PER_STEP = 1_024

/** Text to stand in the place of the bytes `[start, end)`. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The bytes with edits made and everything between them as it was. Edits are in order and do not overlap. */
export function spliceBytes(bytes: Buffer, edits: readonly Edit[]): Buffer {
  return finish(spliceBytesInSteps(bytes, edits))
}

/** `spliceBytes`, in steps. */
export function* spliceBytesInSteps(bytes: Buffer, edits: readonly Edit[]): Work<Buffer> {
  let length = bytes.length
  let steps = 0
  for (const { start, end, text } of edits) {
    length += Buffer.byteLength(text) - (end - start)
    if (++steps % EDITS_PER_STEP === 0) yield
  }
  const result = Buffer.allocUnsafe(length)
  let from = 0
  let to = 0
  for (const { start, end, text } of edits) {
    to += bytes.copy(result, to, from, start)
    to += result.write(text, to)
    from = end
    if (++steps % EDITS_PER_STEP === 0) yield
  }
  bytes.copy(result, to, from)
  return result
}
