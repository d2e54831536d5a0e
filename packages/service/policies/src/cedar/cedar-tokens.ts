/**
 * Cedar's own lexical grammar (`grammar.lalrpop` of cedar-policy-core 4.13, whose compiled patterns are in the
 * WebAssembly). It has some surprises: a carriage return ends a comment too, a backslash in a string escapes anything
 * but a line feed, and white space is Unicode's, with U+0085 and without U+FEFF.
 */
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/
const COMMENT = /\/\/[^\n\r]*[\n\r]*/
const WORD = /\??[A-Z_a-z][0-9A-Z_a-z]*/
const NUMBER = /[0-9]+/
const STRING = /"(?:\\[^\n]|[^"\\])*"/
const OPERATOR = /&&|\|\||::|[=!<>]=|[-@.,;:(){}[\]<>+*/%!=]/

const SKIPPED = oneOf([SPACE, COMMENT])
const TOKEN = oneOf([WORD, NUMBER, STRING, OPERATOR])

export interface CedarToken {
  readonly text: string
  /** The start offset, in UTF-16 code units. */
  readonly start: number
}

/**
 * Splits a text into tokens as Cedar does. Ends early at a character that starts no token, with `isKnown: false`: Cedar
 * refuses a text that contains one anywhere.
 */
export function* cedarTokens(text: string): Generator<CedarToken & { readonly isKnown: boolean }> {
  let start = 0
  while (start < text.length) {
    const skipped = lengthAt(SKIPPED, text, start)
    if (skipped > 0) {
      start += skipped
      continue
    }
    const length = lengthAt(TOKEN, text, start)
    yield { text: text.slice(start, start + length), start, isKnown: length > 0 }
    if (length === 0) return
    start += length
  }
}

function lengthAt(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.exec(text)?.[0].length ?? 0
}

function oneOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join("|"), "uy")
}
