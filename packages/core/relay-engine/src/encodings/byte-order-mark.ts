/** Returns where a UTF-8 text starts: after its byte order mark, if it has one. */
export function startOfUtf8(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}
