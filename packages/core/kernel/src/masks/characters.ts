/** One character for each code unit, and none of them combines with its neighbour, as a line feed does. */
const PLAIN = /^[ -~]*$/

let segmenter: Intl.Segmenter | null = null

/** Splits a text into what people see as characters: the extended grapheme clusters of Unicode (UAX #29). */
export function charactersOf(text: string): readonly string[] {
  if (PLAIN.test(text)) return text.split("")
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** Replaces the decimal digits of any script, such as Arabic ones, by those of ASCII. */
export function withAsciiDigits(text: string): string {
  return PLAIN.test(text) ? text : text.replace(/\p{Nd}/gu, (digit) => String(digitOf(digit)))
}

/** Where five sets of mathematical digits follow each other. All others have a gap before them. */
const MATHEMATICAL_ZERO = 0x1d7ce
const MATHEMATICAL_NINE = 0x1d7ff

function digitOf(digit: string): number {
  const codePoint = digit.codePointAt(0) ?? 0
  if (codePoint >= MATHEMATICAL_ZERO && codePoint <= MATHEMATICAL_NINE)
    return (codePoint - MATHEMATICAL_ZERO) % 10
  let value = 0
  while (value < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(codePoint - value - 1))) value++
  return value
}
