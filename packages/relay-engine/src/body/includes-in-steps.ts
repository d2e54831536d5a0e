import type { Work } from "@sealway/kernel"

/** What is searched at once: as much as takes a fraction of a millisecond, whatever it looks like. */
const PIECE_BYTES = 131_072

/** Whether bytes hold one of some texts of ASCII. */
export function* includesInSteps(bytes: Buffer, texts: readonly string[]): Work<boolean> {
  for (const text of texts) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      if (at > 0) yield
      // What begins in a piece may end behind it.
      if (bytes.subarray(at, at + PIECE_BYTES + text.length - 1).includes(text)) return true
    }
  }
  return false
}
