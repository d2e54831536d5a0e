import { Alphabet } from "../alphabet.ts"
import type { CharactersFormat } from "../format.ts"
import { UnfitTextError } from "../unfit-text-error.ts"
import { acceptAll, type Layout, type Side, type SplitText } from "./layout.ts"
import { luhnResidue, withLuhnResidue } from "./luhn.ts"

/** A text of the format: its characters, and of those of the alphabet their places and numbers. */
interface ReadText {
  readonly characters: readonly string[]
  readonly places: readonly number[]
  readonly numbers: readonly number[]
}

/** The residue of values, and of tokens that keep the check; then that of tokens that break it. */
const VALID = 0
const BROKEN = 1

const NO_SUCH_NUMBER: Readonly<Record<Side, string>> = {
  value: "It does not pass the Luhn check.",
  token: "It is not a token of this format.",
}

/** Encrypts the characters of an alphabet between those that stay. */
export class CharactersLayout implements Layout {
  readonly radix: number
  readonly #format: CharactersFormat
  readonly #alphabet: Alphabet
  readonly #literals: ReadonlySet<string>

  constructor(format: CharactersFormat) {
    this.#format = format
    this.#alphabet = new Alphabet(format.alphabet)
    this.#literals = new Set(format.literals)
    this.radix = this.#alphabet.size
  }

  split(text: string, side: Side): SplitText {
    const read = this.#read(text)
    const { first, last } = this.#format.keep
    const end = read.numbers.length - last
    const split = {
      kept: read.places
        .filter((_place, index) => index < first || index >= end)
        .map((place) => read.characters[place])
        .join(""),
      numerals: read.numbers.slice(first, end),
      accepts: acceptAll,
      join: (numerals: readonly number[]) => this.#write(read, numerals),
    }
    return this.#format.luhn === "any" ? split : this.#keepLuhn(read, split, side)
  }

  /**
   * The last encrypted digit follows from the others and the Luhn check. So it is not permuted but computed: the number
   * passes then, or fails if it is a token that has to.
   */
  #keepLuhn(read: ReadText, split: SplitText, side: Side): SplitText {
    const { first } = this.#format.keep
    const ofToken = this.#format.luhn === "keep" ? VALID : BROKEN
    const [given, wanted] = side === "value" ? [VALID, ofToken] : [ofToken, VALID]
    if (luhnResidue(read.numbers) !== given) throw new UnfitTextError(NO_SUCH_NUMBER[side])
    return {
      ...split,
      numerals: split.numerals.slice(0, -1),
      join(numerals) {
        const last = first + numerals.length
        const numbers = read.numbers.toSpliced(first, numerals.length, ...numerals)
        return split.join(withLuhnResidue(numbers, last, wanted).slice(first, last + 1))
      },
    }
  }

  #read(text: string): ReadText {
    const characters = [...text.slice(0, LONGEST_TEXT)]
    const places: number[] = []
    const numbers: number[] = []
    for (const [place, character] of characters.entries()) {
      const number = this.#alphabet.numberOf(character)
      if (number >= 0) {
        places.push(place)
        numbers.push(number)
      } else if (!this.#literals.has(character)) {
        throw new UnfitTextError(
          `Its character ${place + 1} is neither in the alphabet of the format nor one of its literals.`,
        )
      }
    }
    const { min, max } = this.#format.lengths
    if (text.length > LONGEST_TEXT || numbers.length < min || numbers.length > max) {
      const expected = min === max ? `${min}` : `${min} to ${max}`
      throw new UnfitTextError(`It does not have ${expected} characters of the alphabet.`)
    }
    return { characters, places, numbers }
  }

  #write({ characters, places }: ReadText, numerals: readonly number[]): string {
    const written = [...characters]
    for (const [index, numeral] of numerals.entries()) {
      written[places[this.#format.keep.first + index] ?? 0] = this.#alphabet.characterOf(numeral)
    }
    return written.join("")
  }
}

/** Of UTF-16 units, with all literals. */
const LONGEST_TEXT = 1000
