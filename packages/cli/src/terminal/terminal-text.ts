/**
 * What a terminal or a reader would take for something else than text: control characters (C0, DEL, C1), line and
 * paragraph separators, and the marks that turn the direction of writing around.
 */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** One line of text that cannot move the cursor, change colours or reorder what is shown, whoever wrote it. */
export function terminalText(text: string): string {
  return text.replace(UNSAFE, "\u{fffd}")
}

/** The same JSON with such characters escaped inside its strings, the only place where they can be; white space stays. */
export function terminalJson(json: string): string {
  return json.replace(UNSAFE, (character) => {
    if (character === "\n" || character === "\t" || character === "\r") return character
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
}
