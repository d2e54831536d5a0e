/**
 * The text of a string literal that stands at `[start, end)` of a scanned document, quotes included, as UTF-8.
 * Null when it holds a lone surrogate escape such as `\ud800`, which no UTF-8 can carry.
 */
export function decodeJsonString(bytes: Buffer, escaped: boolean, start: number, end: number): Buffer | null {
  if (!escaped) return bytes.subarray(start + 1, end - 1)
  const text = unescapeJsonString(bytes, start, end)
  return text.isWellFormed() ? Buffer.from(text) : null
}

/** The text of a scanned string literal, lone surrogates included. */
export function unescapeJsonString(bytes: Buffer, start: number, end: number): string {
  const text: unknown = JSON.parse(bytes.toString("utf8", start, end))
  if (typeof text !== "string") throw new TypeError("The range does not hold a string literal")
  return text
}
