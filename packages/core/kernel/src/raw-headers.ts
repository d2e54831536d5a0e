/**
 * The headers of a message as received: alternating names and values, with order, case and duplicates kept, as in
 * `IncomingMessage.rawHeaders`. Bytes above 127 are Latin-1 characters.
 *
 * @example ["Host", "example.com", "Accept", "text/html"]
 */
export type RawHeaders = readonly string[]

/**
 * Calls `visit` for each header in order.
 *
 * @param visit receives the name as spelled, the value, and the value's index in the list
 */
export function eachHeader(
  rawHeaders: RawHeaders,
  visit: (name: string, value: string, valueIndex: number) => void,
): void {
  for (let index = 1; index < rawHeaders.length; index += 2) {
    visit(rawHeaders[index - 1] ?? "", rawHeaders[index] ?? "", index)
  }
}

/** Whether any header passes a test. @param test receives the name as spelled, and the value */
export function someHeader(rawHeaders: RawHeaders, test: (name: string, value: string) => boolean): boolean {
  for (let index = 1; index < rawHeaders.length; index += 2) {
    if (test(rawHeaders[index - 1] ?? "", rawHeaders[index] ?? "")) return true
  }
  return false
}

/** Returns all values of a header, in order. @param name in lower case */
export function headerValues(rawHeaders: RawHeaders, name: string): readonly string[] {
  const values: string[] = []
  for (let index = 1; index < rawHeaders.length; index += 2) {
    if (isNamed(rawHeaders[index - 1], name)) values.push(rawHeaders[index] ?? "")
  }
  return values
}

/**
 * Returns a header's value, with those of several lines joined by `, ` (RFC 9110 section 5.2); undefined when there is
 * none.
 *
 * @param name in lower case
 */
export function headerOf(rawHeaders: RawHeaders, name: string): string | undefined {
  let found: string | undefined
  for (let index = 1; index < rawHeaders.length; index += 2) {
    if (!isNamed(rawHeaders[index - 1], name)) continue
    const value = rawHeaders[index] ?? ""
    found = found === undefined ? value : `${found}, ${value}`
  }
  return found
}

/**
 * Returns the first `Content-Length`, for messages whose framing an HTTP parser has checked; null when there is none.
 */
export function statedLength(rawHeaders: RawHeaders): number | null {
  for (let index = 1; index < rawHeaders.length; index += 2) {
    if (isNamed(rawHeaders[index - 1], "content-length")) return Number(rawHeaders[index])
  }
  return null
}

/** Whether a request's head says that a body follows (RFC 9112 section 6.3). */
export function announcesBody(rawHeaders: RawHeaders): boolean {
  return someHeader(
    rawHeaders,
    (name, value) => isNamed(name, "transfer-encoding") || (isNamed(name, "content-length") && value !== "0"),
  )
}

/**
 * Whether nothing may be read of a connection after a request: one with `Upgrade`. The parser of Node.js skips what has
 * arrived in the same piece behind such a request without a body, even where nobody listens to upgrades, and takes the next
 * piece for the start of a request: it would serve the body of a skipped one as a request of its own.
 */
export function endsConnection(rawHeaders: RawHeaders): boolean {
  return headerOf(rawHeaders, "upgrade") !== undefined
}

/**
 * Removes some headers; returns the same list when there are none of those.
 *
 * @param isDropped receives names in lower case
 */
export function headersWithout(rawHeaders: RawHeaders, isDropped: (name: string) => boolean): RawHeaders {
  let kept: string[] | null = null
  for (let index = 1; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index - 1] ?? ""
    if (isDropped(name.toLowerCase())) kept ??= rawHeaders.slice(0, index - 1)
    else kept?.push(name, rawHeaders[index] ?? "")
  }
  return kept ?? rawHeaders
}

/** Writes headers as sent: one per line, with a line break each. */
export function headerLines(rawHeaders: RawHeaders): string {
  let lines = ""
  for (let index = 1; index < rawHeaders.length; index += 2) {
    lines += `${rawHeaders[index - 1]}: ${rawHeaders[index]}\r\n`
  }
  return lines
}

/** Most names already differ in their length, which is cheaper to check. */
function isNamed(spelled: string | undefined, name: string): boolean {
  return spelled?.length === name.length && (spelled === name || spelled.toLowerCase() === name)
}
