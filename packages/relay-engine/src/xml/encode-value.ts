import { UnwritableValueError } from "../unwritable-value-error.ts"

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
])

/** Text between tags. A carriage return, and white space at the ends, would not come out as they are. */
export function encodeText(text: string): string {
  requireCharacters(text)
  return text.replace(/[&<>\r]|^[\t\n ]|[\t\n ]$/g, escapeCharacter)
}

/** What stands between the quotes of an attribute. */
export function encodeAttribute(text: string, quote: string): string {
  requireCharacters(text)
  return text.replace(quote === "'" ? /[&<>'\t\n\r]/g : /[&<>"\t\n\r]/g, escapeCharacter)
}

/** What stands inside a CDATA section, which ends and begins again where it cannot say something. */
export function encodeCdata(text: string): string {
  requireCharacters(text)
  return text.replace(/\]\]>|\r/g, (found) => (found === "\r" ? "]]>&#13;<![CDATA[" : "]]]]><![CDATA[>"))
}

function escapeCharacter(character: string): string {
  return ESCAPES.get(character) ?? `&#${character.charCodeAt(0)};`
}

/** XML 1.0, production 2: other characters cannot be written, not even as references. */
function requireCharacters(text: string): void {
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text)) {
    throw new UnwritableValueError("A decrypted value cannot stand in XML.")
  }
}
