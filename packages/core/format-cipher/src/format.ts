import { ALPHABETS } from "./alphabet.ts"

/** How the values of a format look, and which of their characters are encrypted. */
export type Format = CharactersFormat | StandardFormat

/**
 * Values with a grammar of their own, whose tokens keep it. `date`: `YYYY-MM-DD` of the years 1000 to 9999. `email`: the
 * letters and digits before the `@`. `iban`: the digits after the check digits, which are computed again. `uuid`: all
 * but the digits of version and variant, in lower case.
 */
export interface StandardFormat {
  readonly kind: "date" | "email" | "iban" | "uuid"
}

/** Values of one alphabet, with separators. */
export interface CharactersFormat {
  readonly kind: "characters"
  /** 2 to 100 distinct characters (code points), which are encrypted. */
  readonly alphabet: string
  /** How many characters of the alphabet a value has. */
  readonly lengths: { readonly min: number; readonly max: number }
  /** How many first and last characters of the alphabet stay as they are. */
  readonly keep: { readonly first: number; readonly last: number }
  /** Characters that stay as they are, wherever they are. */
  readonly literals: string
  /**
   * Of digits. `keep`: values and tokens pass the Luhn check. `break`: values pass it and tokens do not, so that no token
   * can be taken for a card. `any`: neither is checked.
   */
  readonly luhn: "keep" | "break" | "any"
}

/** What is wrong with a format: the field, and what to do. */
export interface FormatProblem {
  readonly field: "alphabet" | "keep" | "lengths" | "literals" | "luhn"
  readonly message: string
}

/** The fewest texts among which a value is hidden: less could be found by trying (NIST SP 800-38G Rev. 1, section 5.1). */
export const SMALLEST_DOMAIN = 1_000_000

/** The most characters of the alphabet that a value can have. */
export const LONGEST_VALUE = 100

/** Formats that are made by name. */
export const PRESETS: Readonly<Record<string, Format>> = {
  "card-number": digits({ min: 13, max: 19 }, { first: 0, last: 4 }, " -", "keep"),
  "card-number-first-six": digits({ min: 16, max: 19 }, { first: 6, last: 4 }, " -", "any"),
  "us-ssn": digits({ min: 9, max: 9 }, { first: 0, last: 0 }, "-", "any"),
  phone: digits({ min: 8, max: 15 }, { first: 2, last: 0 }, "+ ()-./", "any"),
  iban: { kind: "iban" },
  email: { kind: "email" },
  date: { kind: "date" },
  uuid: { kind: "uuid" },
}

function digits(
  lengths: CharactersFormat["lengths"],
  keep: CharactersFormat["keep"],
  literals: string,
  luhn: CharactersFormat["luhn"],
): CharactersFormat {
  return { kind: "characters", alphabet: ALPHABETS.digits, lengths, keep, literals, luhn }
}

/** Returns what is wrong with a format of characters; null when it can be used. */
export function formatProblem(format: CharactersFormat): FormatProblem | null {
  const { lengths, keep, luhn } = format
  const characters = [...format.alphabet]
  const literals = [...format.literals]
  if (characters.length < 2 || characters.length > 100 || !areDistinct(characters)) {
    return { field: "alphabet", message: "Give 2 to 100 characters, each once." }
  }
  if (!areDistinct([...characters, ...literals])) {
    return { field: "literals", message: "Give each character once, and none of the alphabet." }
  }
  if (!(lengths.min >= 1 && lengths.min <= lengths.max && lengths.max <= LONGEST_VALUE)) {
    return { field: "lengths", message: `Give 1 <= min <= max <= ${LONGEST_VALUE}.` }
  }
  if (luhn !== "any" && format.alphabet !== ALPHABETS.digits) {
    return {
      field: "luhn",
      message: 'Only numbers of digits have a Luhn check: use "any", or the alphabet of digits.',
    }
  }
  const isDigits = characters.every((character) => ALPHABETS.digits.includes(character))
  const mostFirst = lengths.min >= 16 ? 8 : 6
  if (isDigits && (keep.first > mostFirst || keep.last > 4)) {
    return {
      field: "keep",
      message: `Keep at most the first ${mostFirst} and the last 4 of ${lengths.min} digits (PCI DSS 3.4.1).`,
    }
  }
  const encrypted = Math.max(0, lengths.min - keep.first - keep.last)
  const isOneDecided = luhn !== "any" && encrypted > 0
  const domain = characters.length ** (isOneDecided ? encrypted - 1 : encrypted)
  if (domain < SMALLEST_DOMAIN) {
    const decided = isOneDecided ? ", of which the Luhn check decides one" : ""
    return {
      field: "keep",
      message:
        `The shortest values have ${encrypted} encrypted characters${decided}: ${domain.toLocaleString("en")} texts. ` +
        `${SMALLEST_DOMAIN.toLocaleString("en")} are needed: keep fewer characters, or ask for longer values.`,
    }
  }
  return null
}

function areDistinct(characters: readonly string[]): boolean {
  return new Set(characters).size === characters.length
}
