import { UnwritableValueError } from "../errors/unwritable-value-error.ts"

/** Encodes text between tags. A carriage return, and white space at the ends, would otherwise be changed. */
export function encodeText(text: string): string {
  requireCharacters(text)
  const escaped = escapeMarkup(text).replace(/\r/g, "&#13;")
  return escaped.replace(/^[\t\n ]/, escapeSpace).replace(/[\t\n ]$/, escapeSpace)
}

/** Encodes the content of a quoted attribute. */
export function encodeAttribute(text: string, quote: string): string {
  requireCharacters(text)
  const escaped = escapeMarkup(text).replace(/\t/g, "&#9;").replace(/\n/g, "&#10;").replace(/\r/g, "&#13;")
  return quote === "'" ? escaped.replace(/'/g, "&apos;") : escaped.replace(/"/g, "&quot;")
}

/** Encodes the content of a CDATA section, which is ended and reopened where needed. */
export function encodeCdata(text: string): string {
  requireCharacters(text)
  return text.replace(/\]\]>/g, "]]]]><![CDATA[>").replace(/\r/g, "]]>&#13;<![CDATA[")
}

/** Returns a piece of a text that can be encoded alone: it does not end within a character or a `]]>`. */
export function pieceOfText(text: string, start: number, end: number): string {
  let at = end
  while (at < text.length && (text[at - 1] === "]" || isHighSurrogate(text.charCodeAt(at - 1)))) at++
  return text.slice(start, at)
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

/** One character at a time: callbacks would be too slow for megabytes of them. */
function escapeMarkup(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")
}

function escapeSpace(character: string): string {
  return `&#${character.charCodeAt(0)};`
}

/** XML 1.0, production 2: other characters cannot be written, not even as references. */
function requireCharacters(text: string): void {
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text)) {
    throw new UnwritableValueError("A decrypted value contains characters that XML does not allow.")
  }
}
