import type { WalkBudget } from "./walk-budget.ts"

/**
 * Folds the name of a JSON field, so that names that some parser reads as the same one become equal. RFC 8259 leaves
 * that open, and the value of an unencrypted field would reach the application as the encrypted one's.
 *
 * | parser | reads as `cardNumber` |
 * |---|---|
 * | Go (encoding/json) | any letter case, with Unicode's folding: `ſ` for `s`, the Kelvin sign for `k` |
 * | .NET (System.Text.Json in ASP.NET, Newtonsoft), cJSON | any letter case |
 * | Java (Jackson with `ACCEPT_CASE_INSENSITIVE_PROPERTIES`, `equalsIgnoreCase`) | any letter case, `ı` and `İ` for `i` |
 * | Protocol Buffers (gRPC gateways, Envoy) | `card_number` |
 * | fastjson, Go (encoding/json/v2 with `case:ignore`) | `card-number`, `CARD_NUMBER`, `_cardnumber` |
 * | fastjson2 (`fieldNameHashCodeLCase`) | `card number` |
 * | json-c, cJSON | `cardNumber\u0000`, followed by anything |
 * | Swift (JSONDecoder) | other code points for the same letters, `o` and a diaeresis for `ö` |
 *
 * JavaScript and PHP find `["0"]` in arrays and `[0]` in objects, too: `NodeWalk` looks for both. Parsers that fold no
 * more than this read two names as the same exactly when they are equal here.
 *
 * @param name unescaped
 */
export function foldMemberName(name: string): string {
  const nul = name.indexOf("\0")
  const letters = (nul === -1 ? name : name.slice(0, nul)).replace(/[ _-]/g, "")
  if (IS_ASCII.test(letters)) return letters.toLowerCase()
  return Array.from(letters.normalize("NFC"), (letter) =>
    String.fromCodePoint(foldCodePoint(letter.codePointAt(0) ?? 0)),
  ).join("")
}

/**
 * For the same letters, a name in one Unicode form has at most this many UTF-16 code units per unit of another: a
 * character is decomposed into at most four, and one of two code units may stand for one of one.
 */
const MAX_CODE_UNITS_PER_CODE_UNIT = 16

/** Whether `foldMemberName` makes two names equal, the first of which may be huge. */
export function isFoldedTo(name: string, wanted: string): boolean {
  const maxLetters = MAX_CODE_UNITS_PER_CODE_UNIT * wanted.length
  if (name.length <= maxLetters) return foldMemberName(name) === foldMemberName(wanted)
  let letters = ""
  for (let at = skipSeparators(name, 0); at < name.length; at = skipSeparators(name, at + 1)) {
    const letter = name[at] ?? ""
    if (letter === "\0") break
    letters += letter
    if (letters.length > maxLetters) return false
  }
  return foldMemberName(letters) === foldMemberName(wanted)
}

/**
 * Whether `foldMemberName` makes a name equal to a wanted one, usually found out without reading past the first
 * difference.
 *
 * @param budget pays for the work
 */
export function areNamesAlike(name: string, wanted: string, budget: WalkBudget): boolean {
  // Letters beyond ASCII may have several compositions.
  if (!IS_ASCII.test(wanted)) {
    budget.spend(STEPS_PER_FOLD + (name.length >> 1))
    return isFoldedTo(name, wanted)
  }
  let at = skipSeparators(name, 0)
  let index = skipSeparators(wanted, 0)
  while (at < name.length && index < wanted.length) {
    const own = name.codePointAt(at) ?? 0
    if (!isFoldedAlike(own, wanted.charCodeAt(index))) break
    at = skipSeparators(name, at + (own > 0xffff ? 2 : 1))
    index = skipSeparators(wanted, index + 1)
  }
  budget.spend(at >> 3)
  return at >= name.length && index >= wanted.length
}

function skipSeparators(name: string, from: number): number {
  let at = from
  while (name[at] === "_" || name[at] === "-" || name[at] === " ") at++
  return at
}

/** Whether two characters are folded to the same one. */
export function isFoldedAlike(left: number, right: number): boolean {
  if (left === right) return true
  if (left > LAST_ASCII && right > LAST_ASCII) return foldCodePoint(left) === foldCodePoint(right)
  // Nearly always one of them is ASCII, and only four others are folded to that.
  if (left > LAST_ASCII && !FOLDED_TO_ASCII.has(left)) return false
  if (right > LAST_ASCII && !FOLDED_TO_ASCII.has(right)) return false
  return foldCodePoint(left) === foldCodePoint(right)
}

/** One character for one: no parser reads `ss` as `ß`. */
function foldCodePoint(codePoint: number): number {
  if (codePoint <= LAST_ASCII) return codePoint >= 0x41 && codePoint <= 0x5a ? codePoint | 0x20 : codePoint
  if (codePoint === CAPITAL_I_WITH_DOT) return SMALL_I
  const upper = mapOne(codePoint, (text) => text.toUpperCase())
  return mapOne(upper, (text) => text.toLowerCase())
}

const LAST_ASCII = 0x7f
const IS_ASCII = /^[ -~]*$/
/** Folding a short name takes as long as visiting this many nodes. */
const STEPS_PER_FOLD = 20
const CAPITAL_I_WITH_DOT = 0x130
/** `İ`, `ı`, `ſ` and the Kelvin sign. */
const FOLDED_TO_ASCII: ReadonlySet<number> = new Set([CAPITAL_I_WITH_DOT, 0x131, 0x17f, 0x212a])
const SMALL_I = 0x69

function mapOne(codePoint: number, map: (text: string) => string): number {
  const mapped = map(String.fromCodePoint(codePoint))
  const first = mapped.codePointAt(0) ?? codePoint
  return mapped.length === (first > 0xffff ? 2 : 1) ? first : codePoint
}
