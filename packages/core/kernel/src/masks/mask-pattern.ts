import { charactersOf } from "./characters.ts"
import { BULLET } from "./hidden.ts"

/**
 * Shows the characters of a value at the places where a pattern has `#`. `*` hides the character at its place; any other
 * character of the pattern must be in the value too. Returns null for a value of another length, or with another character
 * there.
 *
 * @param pattern printable ASCII, such as `***-**-####`
 */
export function maskPattern(text: string, pattern: string): string | null {
  const characters = charactersOf(text)
  if (characters.length !== pattern.length) return null
  let shown = ""
  for (const [index, character] of characters.entries()) {
    const wanted = pattern[index]
    if (wanted === "#") shown += character
    else if (wanted === "*") shown += BULLET
    else if (wanted === character) shown += character
    else return null
  }
  return shown
}

/** Says what is wrong with a pattern; null for nothing. */
export function patternProblem(pattern: string): string | null {
  const count = (sign: string) => pattern.split(sign).length - 1
  if (count("*") === 0 || count("#") > count("*"))
    return "A pattern must hide at least as many characters (*) as it shows (#)"
  return null
}
