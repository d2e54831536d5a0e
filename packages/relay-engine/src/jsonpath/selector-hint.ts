/** Syntax of other dialects, and the equivalent here. The first match is the hint. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^\s|\s$/, "A selector has no white space around it."],
  [/^[^$]/, "A selector begins with $, as in $.card.number."],
  [/^$/, "A selector begins with $, as in $.card.number."],
  [
    /\[\s*\(/,
    "Expressions in brackets are not supported: write [-1] for the last element, [?...] for a filter.",
  ],
  [/===|!==/, "Write == and != to compare."],
  [
    /=~|\/[a-z]*\s*\)?\s*\]/,
    "Write match(@.name, 'pattern') for the whole text, search(@.name, 'pattern') for a part.",
  ],
  [/[^=!<>]=[^=~]/, "Write == to compare."],
  [
    /\s(?:and|or|not|in|nin|subsetof|anyof|empty)\s/i,
    "Write &&, || and ! for and, or and not; there are no other words between values.",
  ],
  [/[^&]&[^&]/, "Write && for and."],
  [/[^|]\|[^|]/, "Write || for or."],
  [/\.(?:length|size|min|max|sum|keys)\s*\(/, "Functions stand in front: length(@.name), count(@.*)."],
  [/\.length\b/, "Write length(@.name) for the number of elements or characters."],
  [/[\^~`]/, "Parents, property names and types cannot be selected."],
  [/[\u2018\u2019\u201c\u201d]/, "Write straight quotes, ' or \"."],
  [/\.['"]/, "Write a quoted name in brackets: $['name']."],
  [/\.\s*$/, "A name, * or [ follows a dot."],
  [/\[\s*[A-Za-z_]/, "Write a name in brackets with quotes: $['name']."],
  [/\.[^.[\]()'"]*[ #%/:;+]/, "Write a name with such characters in brackets and quotes: $['first name']."],
]

/** Returns a hint for the author of a selector that is not understood; null when there is none. */
export function hintFor(selector: string): string | null {
  return HINTS.find(([sign]) => sign.test(selector))?.[1] ?? null
}
