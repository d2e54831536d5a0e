/** Decodes percent-encoding (RFC 3986, section 2.1), once. Characters are bytes; a `%` without two digits stays. */
export function decodePercent(text: string): string {
  if (!text.includes("%")) return text
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}
