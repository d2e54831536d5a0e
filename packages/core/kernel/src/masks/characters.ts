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
  if (PLAIN.test(text)) return text
  asciiDigits ??= readAsciiDigits()
  const known = asciiDigits
  return text.replace(/\p{Nd}/gu, (digit) => known.get(digit) ?? digit)
}

/** All decimal digits, looked up: whatever counted up to a digit would tell a hidden one by its time. */
let asciiDigits: ReadonlyMap<string, string> | null = null

/** The planes of Unicode that have decimal digits. One of another plane would stay, so that its value fits no mask. */
const LAST_CODE_POINT = 0x1ffff

/** Digits come in tens, from zero to nine, also where several sets follow each other. */
function readAsciiDigits(): ReadonlyMap<string, string> {
  let all = ""
  for (let codePoint = 0; codePoint <= LAST_CODE_POINT; codePoint++) all += String.fromCodePoint(codePoint)
  const tens = all.match(/\p{Nd}{10}/gu) ?? []
  return new Map(tens.flatMap((digits) => Array.from(digits, (digit, value) => [digit, String(value)])))
}
