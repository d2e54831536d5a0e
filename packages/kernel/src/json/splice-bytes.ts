/** Text to stand in the place of the bytes `[start, end)`. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The bytes with edits made and everything between them as it was. Edits are in order and do not overlap. */
export function spliceBytes(bytes: Buffer, edits: readonly Edit[]): Buffer {
  let length = bytes.length
  for (const { start, end, text } of edits) length += Buffer.byteLength(text) - (end - start)
  const result = Buffer.allocUnsafe(length)
  let from = 0
  let to = 0
  for (const { start, end, text } of edits) {
    to += bytes.copy(result, to, from, start)
    to += result.write(text, to)
    from = end
  }
  bytes.copy(result, to, from)
  return result
}
