/** Digests of the very bytes of a message (RFC 9530, and the ones before it). */
const DIGESTS: ReadonlySet<string> = new Set(["content-md5", "digest", "content-digest", "repr-digest"])

/** A header's value, those of several lines joined (RFC 9110, section 5.2). @param name in lower case */
export function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  let found: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const each = rawHeaders[index]
    if (each?.length !== name.length || each.toLowerCase() !== name) continue
    const value = rawHeaders[index + 1] ?? ""
    found = found === undefined ? value : `${found}, ${value}`
  }
  return found
}

/** The first `Content-Length`, for messages whose framing an HTTP parser has checked. Null: there is none. */
export function statedLength(rawHeaders: readonly string[]): number | null {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ""
    if (name.length === 14 && name.toLowerCase() === "content-length") return Number(rawHeaders[index + 1])
  }
  return null
}

/**
 * A header's name as applications see it: in lower case, with a dash for an underscore. Gateways of the CGI kind (RFC
 * 3875 section 4.1.18; WSGI, Rack and PHP have it from there) make both the same.
 */
export function applicationName(name: string): string {
  const lower = name.toLowerCase()
  return lower.includes("_") ? lower.replaceAll("_", "-") : lower
}

/** Headers but for some: the same list where there are none of those. @param isDropped is given names in lower case */
export function headersWithout(
  rawHeaders: readonly string[],
  isDropped: (name: string) => boolean,
): readonly string[] {
  let kept: string[] | null = null
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ""
    if (isDropped(name.toLowerCase())) kept ??= rawHeaders.slice(0, index)
    else kept?.push(name, rawHeaders[index + 1] ?? "")
  }
  return kept ?? rawHeaders
}

/** What stays true of a message whose body has become another. `ETag` does: it is the destination's name for what it sent. */
export function headersOfChangedBody(rawHeaders: readonly string[]): readonly string[] {
  return headersWithout(rawHeaders, (name) => DIGESTS.has(name))
}
