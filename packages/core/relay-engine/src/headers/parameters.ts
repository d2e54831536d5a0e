/** A parameter of a media type or of a Content-Disposition, such as `; charset="utf-8"`. */
export interface Parameter {
  /** Lower case. */
  readonly name: string
  /** Without its quotes; backslashes remain, see `unescapeQuoted`. */
  readonly value: string
  readonly quoted: boolean
}

/**
 * Parses parameters to the end of a header's value, in linear time (RFC 9110 section 5.6.6: white space around `;`,
 * none around `=`, and a `;` may be followed by nothing).
 *
 * @param from the position after everything before the first parameter
 * @returns null when they are malformed
 */
export function parseParameters(text: string, from: number): readonly Parameter[] | null {
  const parameters: Parameter[] = []
  let at = skipWhiteSpace(text, from)
  while (at < text.length) {
    if (text[at] !== ";") return null
    at = skipWhiteSpace(text, at + 1)
    if (at === text.length || text[at] === ";") continue
    const nameEnd = endOfToken(text, at)
    if (nameEnd === at || text[nameEnd] !== "=") return null
    const name = text.slice(at, nameEnd).toLowerCase()
    const start = nameEnd + 1
    const quoted = text[start] === '"'
    const end = quoted ? endOfQuoted(text, start + 1) : endOfToken(text, start)
    if (end === -1 || (!quoted && end === start)) return null
    parameters.push({ name, value: quoted ? text.slice(start + 1, end) : text.slice(start, end), quoted })
    at = skipWhiteSpace(text, quoted ? end + 1 : end)
  }
  return parameters
}

/** Unescapes a quoted string: each backslash escapes the next character. */
export function unescapeQuoted(value: string): string {
  return value.includes("\\") ? value.replace(/\\(.)/gs, "$1") : value
}

/**
 * Returns the end of the token (RFC 9110 section 5.6.2) that starts at a position; the position itself when there is
 * none.
 */
export function endOfToken(text: string, from: number): number {
  let at = from
  while (at < text.length && isTokenCharacter(text.charCodeAt(at))) at++
  return at
}

/** Whether a whole text is a token. */
export function isHttpToken(text: string): boolean {
  return text !== "" && endOfToken(text, 0) === text.length
}

/** Removes the spaces and tabs around a header's value (RFC 9110 section 5.5). */
export function trimWhiteSpace(text: string): string {
  let end = text.length
  while (end > 0 && isWhiteSpace(text[end - 1])) end--
  return text.slice(Math.min(skipWhiteSpace(text, 0), end), end)
}

const TOKEN_CHARACTERS = new Set(
  Array.from("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", (character) =>
    character.charCodeAt(0),
  ),
)

function isTokenCharacter(code: number): boolean {
  return TOKEN_CHARACTERS.has(code)
}

/** Returns the position of the closing quote; -1 when there is none, or a control character before it. */
function endOfQuoted(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at
    if (isControl(code)) return -1
    if (code !== 0x5c) continue
    at++
    if (at === text.length || isControl(text.charCodeAt(at))) return -1
  }
  return -1
}

function isControl(code: number): boolean {
  return (code < 0x20 && code !== 0x09) || code === 0x7f
}

function skipWhiteSpace(text: string, from: number): number {
  let at = from
  while (isWhiteSpace(text[at])) at++
  return at
}

function isWhiteSpace(character: string | undefined): boolean {
  return character === " " || character === "\t"
}
