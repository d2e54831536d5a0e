/**
 * What a terminal or a reader would not treat as text: control characters (C0, DEL, C1), line and paragraph separators,
 * and the marks that change the writing direction.
 */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Returns one line of text that cannot move the cursor, change colours or reorder what is shown, whoever wrote it. */
export function terminalText(text: string): string {
  return text.replace(UNSAFE, "\u{fffd}")
}

/**
 * Returns the same JSON with such characters escaped inside its strings, the only place where they can be; white space
 * stays.
 */
export function terminalJson(json: string): string {
  return json.replace(UNSAFE, (character) => {
    if (character === "\n" || character === "\t" || character === "\r") return character
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
}
