/** Returns how much a client wants a media type (RFC 9110, section 12.5.1), from 0 for not at all to 1. */
function quality(ranges: readonly (readonly [range: string, quality: number])[], type: string): number {
  const [family = ""] = type.split("/")
  // The most specific matching range counts, not the first.
  for (const wanted of [type, `${family}/*`, "*/*"]) {
    const found = ranges.find(([range]) => range === wanted)
    if (found !== undefined) return found[1]
  }
  return 0
}

/** `q` is 1 when it is missing, and 0 when RFC 9110 does not allow it. */
function parseRange(text: string): readonly [range: string, quality: number] {
  const [range = "", ...parameters] = text.split(";").map((each) => each.trim().toLowerCase())
  const q = parameters.find((each) => each.startsWith("q="))?.slice("q=".length)
  if (q === undefined) return [range, 1]
  return [range, /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 0]
}

/**
 * Whether a client prefers HTML to JSON. Browsers do; clients that accept anything (curl), or say nothing, do not. If
 * both are wanted equally, the one that is named wins, and of two names the first.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = (accept ?? "").split(",").map(parseRange)
  const html = quality(ranges, "text/html")
  const json = quality(ranges, "application/json")
  if (html !== json || html === 0) return html > json
  const names = ranges.map(([range]) => range)
  const [htmlAt, jsonAt] = [names.indexOf("text/html"), names.indexOf("application/json")]
  return htmlAt !== -1 && (jsonAt === -1 || htmlAt < jsonAt)
}
