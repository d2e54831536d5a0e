/** Where a text in UTF-8 begins: behind its byte order mark, where it has one. */
export function startOfUtf8(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}
