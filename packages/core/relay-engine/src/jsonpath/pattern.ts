import { RE2JS, RE2JSException } from "re2js"

const MAX_LENGTH = 128
const MAX_PROGRAM_SIZE = 500
/** A repetition of 100 or more. Refused before compiling, which it would make expensive. */
const LARGE_REPETITION = /\{\d*,?\d{3,}/

/**
 * A regular expression for `match()` and `search()`: I-Regexp (RFC 9485) and whatever else RE2 supports. It runs in
 * time proportional to the text, even for the worst pattern. It caches what it learns about texts, up to megabytes, so
 * do not keep it.
 */
export class Pattern {
  /** The cost of examining one character, in steps of a `WalkBudget`. */
  readonly stepsPerCharacter: number
  readonly #program: RE2JS

  private constructor(program: RE2JS) {
    this.#program = program
    this.stepsPerCharacter = program.programSize() / 4
  }

  static compile(source: string): Pattern | "invalid" | "too-large" {
    if (source.length > MAX_LENGTH || LARGE_REPETITION.test(source)) return "too-large"
    try {
      const program = RE2JS.compile(excludeLineEnds(source))
      return program.programSize() > MAX_PROGRAM_SIZE ? "too-large" : new Pattern(program)
    } catch (error) {
      if (error instanceof RE2JSException) return "invalid"
      throw error
    }
  }

  /** @param whole whether the whole text must match, or any part */
  test(text: string, whole: boolean): boolean {
    return whole ? this.#program.testExact(text) : this.#program.test(text)
  }
}

/** A dot matches neither a line feed nor a carriage return (RFC 9485, section 5.3); in RE2 it matches the latter. */
function excludeLineEnds(source: string): string {
  let inClass = false
  let translated = ""
  for (let index = 0; index < source.length; index++) {
    const character = source[index] ?? ""
    if (character === "\\") {
      translated += character + (source[index + 1] ?? "")
      index++
      continue
    }
    if (character === "[") inClass = true
    else if (character === "]") inClass = false
    translated += character === "." && !inClass ? "[^\\n\\r]" : character
  }
  return translated
}
