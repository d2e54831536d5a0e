/**
 * Whether a request's `Transfer-Encoding` says only that its body comes in chunks. Everything else is refused (RFC 9112
 * section 6.1): HTTP/1.0 has none, and a recipient in front may read several codings, or several fields, differently.
 *
 * @param httpVersion `1.1`
 * @param transferEncoding the values of all such fields, joined
 */
export function isOnlyChunked(httpVersion: string, transferEncoding: string): boolean {
  return httpVersion !== "1.0" && transferEncoding.toLowerCase() === "chunked"
}
