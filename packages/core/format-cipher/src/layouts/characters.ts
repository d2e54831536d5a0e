import { Alphabet } from "../alphabet.ts"
import { type CharactersFormat, SMALLEST_DOMAIN } from "../format.ts"
import { UnfitTextError } from "../unfit-text-error.ts"
import { acceptAll, type Layout, type Side, type SplitText } from "./layout.ts"
import { luhnResidue, withLuhnResidue } from "./luhn.ts"

/** A text of the format: its characters, and of those of the alphabet their places and numbers. */
interface ReadText {
  readonly characters: readonly string[]
  readonly places: readonly number[]
  readonly numbers: readonly number[]
}

/** The residue of values; tokens that break the check have the other one before they are permuted. */
const VALID = 0
const BROKEN = 1

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
   * Where digits enough are left, all but the last of them are permuted, and the last one makes the number pass or fail.
   * Otherwise all are permuted until it does.
   */
  #keepLuhn(read: ReadText, split: SplitText, side: Side): SplitText {
    const { numerals } = split
    const { first } = this.#format.keep
    const lastPlace = first + numerals.length - 1
    const ofTokens = this.#format.luhn === "keep" ? VALID : BROKEN
    const residueWith = (changed: readonly number[]) =>
      luhnResidue(read.numbers.toSpliced(first, changed.length, ...changed))
    const withResidue = (changed: readonly number[], residue: number) =>
      withLuhnResidue(read.numbers.toSpliced(first, changed.length, ...changed), lastPlace, residue).slice(
        first,
        first + numerals.length,
      )
    const isOfTokens = (residue: number) => (ofTokens === VALID ? residue === VALID : residue !== VALID)
    const residue = luhnResidue(read.numbers)
    if (side === "value" && residue !== VALID) throw new UnfitTextError("It does not pass the Luhn check.")

    if (this.radix ** (numerals.length - 1) >= SMALLEST_DOMAIN) {
      const expected = side === "value" ? VALID : ofTokens
      if (residue !== expected) throw notAToken()
      const other = side === "value" ? ofTokens : VALID
      return {
        ...split,
        numerals: numerals.slice(0, -1),
        join: (changed) => split.join(withResidue(changed, other)),
      }
    }

    if (side === "token" && !isOfTokens(residue)) throw notAToken()
    return {
      ...split,
      numerals: side === "value" ? withResidue(numerals, ofTokens) : numerals,
      accepts: (changed) => isOfTokens(residueWith(changed)),
      join: (changed) => {
        if (side === "value") return split.join(changed)
        if (residueWith(changed) !== ofTokens) throw notAToken()
        return split.join(withResidue(changed, VALID))
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

function notAToken(): UnfitTextError {
  return new UnfitTextError("It is not a token of this format.")
}
