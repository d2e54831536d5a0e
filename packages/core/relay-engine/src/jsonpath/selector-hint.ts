/** Syntax of other dialects, and the equivalent here. The first match is the hint. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^\s|\s$/, "Remove the white space around the selector."],
  [/^[^$]/, "A selector must begin with $, as in $.card.number."],
  [/^$/, "A selector must begin with $, as in $.card.number."],
  [
    /\[\s*\(/,
    "Expressions in brackets are not supported. Write [-1] for the last element, [?...] for a filter.",
  ],
  [/===|!==/, "Write == and != to compare."],
  [
    /=~|\/[a-z]*\s*\)?\s*\]/,
    "Write match(@.name, 'pattern') for the whole text, search(@.name, 'pattern') for a part.",
  ],
  [/[^=!<>]=[^=~]/, "Write == to compare."],
  [
    /\s(?:and|or|not|in|nin|subsetof|anyof|empty)\s/i,
    "Write &&, || and ! for and, or and not. No other words are allowed between values.",
  ],
  [/[^&]&[^&]/, "Write && for and."],
  [/[^|]\|[^|]/, "Write || for or."],
  [
    /\.(?:length|size|min|max|sum|keys)\s*\(/,
    "Write a function before its argument: length(@.name), count(@.*).",
  ],
  [/\.length\b/, "Write length(@.name) for the number of elements or characters."],
  [/[\^~`]/, "Parents, property names and types cannot be selected."],
  [/[\u2018\u2019\u201c\u201d]/, "Write straight quotes, ' or \"."],
  [/\.['"]/, "Write a quoted name in brackets: $['name']."],
  [/\.\s*$/, "A dot must be followed by a name, * or [."],
  [/\[\s*[A-Za-z_]/, "Write a name in brackets with quotes: $['name']."],
  [/\.[^.[\]()'"]*[ #%/:;+]/, "Write a name with such characters in brackets and quotes: $['first name']."],
]

/** Returns a hint for the author of a selector that is not understood; null when there is none. */
export function hintFor(selector: string): string | null {
  return HINTS.find(([sign]) => sign.test(selector))?.[1] ?? null
}
