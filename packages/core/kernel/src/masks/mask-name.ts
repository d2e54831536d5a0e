import { charactersOf } from "./characters.ts"
import { BULLET } from "./hidden.ts"

/** The initials of a longer text would tell much of it. */
const MAX_WORDS = 5

/**
 * Shows the initials of a name, as `A. L.`; of a word of one letter, which an initial would show whole, nothing. Returns
 * null for a text with a word that does not begin with a letter.
 */
export function maskName(text: string): string | null {
  const words = text.trim().split(/\s+/u)
  if (words.length > MAX_WORDS) return null
  const initials = words.map(initialOf)
  return initials.some((initial) => initial === null) ? null : initials.join(" ")
}

function initialOf(word: string): string | null {
  const characters = charactersOf(word)
  const [first = ""] = characters
  if (!isLetter(first)) return null
  return characters.filter(isLetter).length < 2 ? BULLET : `${first}.`
}

function isLetter(character: string): boolean {
  return /^\p{L}/u.test(character)
}
