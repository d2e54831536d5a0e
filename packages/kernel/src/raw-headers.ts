/**
 * The headers of a message as they came: names and values in turn, in their order, case and number, as in
 * `IncomingMessage.rawHeaders`. Bytes above 127 are Latin-1 characters.
 *
 * @example ["Host", "example.com", "Accept", "text/html"]
 */
export type RawHeaders = readonly string[]

/**
 * Calls `visit` for each header in turn.
 *
 * @param visit is given the name as it is spelled, the value, and the value's place in the list
 */
export function eachHeader(
  rawHeaders: RawHeaders,
  visit: (name: string, value: string, valueIndex: number) => void,
): void {
  for (let index = 1; index < rawHeaders.length; index += 2) {
    visit(rawHeaders[index - 1] ?? "", rawHeaders[index] ?? "", index)
  }
}

/** Whether some header passes a test. @param test is given the name as it is spelled, and the value */
export function someHeader(rawHeaders: RawHeaders, test: (name: string, value: string) => boolean): boolean {
  for (let index = 1; index < rawHeaders.length; index += 2) {
    if (test(rawHeaders[index - 1] ?? "", rawHeaders[index] ?? "")) return true
  }
  return false
}

/** All values of a header, in their order. @param name in lower case */
export function headerValues(rawHeaders: RawHeaders, name: string): readonly string[] {
  const values: string[] = []
  for (let index = 1; index < rawHeaders.length; index += 2) {
    if (isNamed(rawHeaders[index - 1], name)) values.push(rawHeaders[index] ?? "")
  }
  return values
}

/**
 * A header's value, those of several lines joined with `, ` (RFC 9110 section 5.2); undefined when there is none.
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

/** The first `Content-Length`, for messages whose framing an HTTP parser has checked. Null: there is none. */
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

/** Headers but for some: the same list where there are none of those. @param isDropped is given names in lower case */
export function headersWithout(rawHeaders: RawHeaders, isDropped: (name: string) => boolean): RawHeaders {
  let kept: string[] | null = null
  for (let index = 1; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index - 1] ?? ""
    if (isDropped(name.toLowerCase())) kept ??= rawHeaders.slice(0, index - 1)
    else kept?.push(name, rawHeaders[index] ?? "")
  }
  return kept ?? rawHeaders
}

/** Headers as they go over the wire: a line each, with its line break. */
export function headerLines(rawHeaders: RawHeaders): string {
  let lines = ""
  for (let index = 1; index < rawHeaders.length; index += 2) {
    lines += `${rawHeaders[index - 1]}: ${rawHeaders[index]}\r\n`
  }
  return lines
}

/** Most names differ in their length already, which is cheaper to see. */
function isNamed(spelled: string | undefined, name: string): boolean {
  return spelled?.length === name.length && (spelled === name || spelled.toLowerCase() === name)
}
