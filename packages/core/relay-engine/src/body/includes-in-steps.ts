import type { Work } from "@sealway/kernel"

/** How much one step searches: a fraction of a millisecond of work for any content. */
const PIECE_BYTES = 131_072

/** Whether bytes contain one of some ASCII texts. */
export function* includesInSteps(bytes: Buffer, texts: readonly string[]): Work<boolean> {
  if (bytes.length <= PIECE_BYTES) return texts.some((text) => bytes.includes(text))
  for (const text of texts) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      if (at > 0) yield
      // A text that starts in a piece may end after it.
      if (bytes.subarray(at, at + PIECE_BYTES + text.length - 1).includes(text)) return true
    }
  }
  return false
}
