/** How much a client wants a media type (RFC 9110, section 12.5.1), from 0 for not at all to 1. */
function quality(ranges: readonly (readonly [range: string, quality: number])[], type: string): number {
  const [family = ""] = type.split("/")
  // The most specific range that matches counts, not the first.
  for (const wanted of [type, `${family}/*`, "*/*"]) {
    const found = ranges.find(([range]) => range === wanted)
    if (found !== undefined) return found[1]
  }
  return 0
}

/** `q` is 1 where it is missing, and 0 where it is none that RFC 9110 allows. */
function parseRange(text: string): readonly [range: string, quality: number] {
  const [range = "", ...parameters] = text.split(";").map((each) => each.trim().toLowerCase())
  const q = parameters.find((each) => each.startsWith("q="))?.slice("q=".length)
  if (q === undefined) return [range, 1]
  return [range, /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 0]
}

/**
 * Whether a client rather reads HTML than JSON. Browsers do; what takes anything (curl), or says nothing, does not. Of
 * both wanted equally, the one that is named counts, and of two names the first.
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
