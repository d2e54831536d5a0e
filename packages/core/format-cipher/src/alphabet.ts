/** Names of alphabets that need not be spelled out. */
export const ALPHABETS = {
  digits: "0123456789",
  letters: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  alphanumeric: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  hex: "0123456789abcdef",
} as const

/** Characters (code points) that follow each other in Unicode and in the alphabet. */
interface Run {
  readonly first: number
  readonly last: number
  /** Where in the alphabet the first one is. */
  readonly place: number
}

/**
 * The characters that a format encrypts, numbered from 0 in the order given.
 *
 * A character is looked for in every run of the alphabet, without a branch or a table: the time does not tell which one
 * it was.
 */
export class Alphabet {
  readonly size: number
  readonly #runs: readonly Run[]

  /** @param characters distinct code points */
  constructor(characters: string) {
    const codes = [...characters].map((character) => character.codePointAt(0) ?? 0)
    this.size = codes.length
    const starts = codes.flatMap((code, place) => (code === (codes[place - 1] ?? code) + 1 ? [] : [place]))
    this.#runs = starts.map((place, index) => {
      const end = starts[index + 1] ?? codes.length
      return { first: codes[place] ?? 0, last: codes[end - 1] ?? 0, place }
    })
  }

  /** Returns the number of a character; -1 when the alphabet does not have it. */
  numberOf(character: string): number {
    const code = character.codePointAt(0) ?? 0
    let found = 0
    for (const { first, last, place } of this.#runs) {
      found |= ~((code - first) >> 31) & ~((last - code) >> 31) & (code - first + place + 1)
    }
    return found - 1
  }

  /** Returns the character with a number from 0 to below the size. */
  characterOf(number: number): string {
    let code = 0
    for (const { first, last, place } of this.#runs) {
      const offset = number - place
      code |= ~(offset >> 31) & ~((last - first - offset) >> 31) & (first + offset)
    }
    return String.fromCodePoint(code)
  }
}
