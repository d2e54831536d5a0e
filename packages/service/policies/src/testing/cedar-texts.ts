/** Generates texts for Cedar: policies by its grammar, most of them damaged, many of them nested to its limits. */
export function cedarText(seed: number): string {
  const { below, pick, times } = createDice(seed)

  /** Spends `size`, so that every text ends. */
  const expression = (size: number): string => {
    if (size <= 1) return atom()
    const rest = size - 1
    const half = rest >> 1
    switch (below(16)) {
      case 0:
        return `(${expression(rest)})`
      case 1:
        return `[${times(below(4), () => expression(rest >> 2)).join(", ")}]`
      case 2:
        return `{${times(below(4), () => `${pick([WORDS, STRINGS])()}: ${expression(rest >> 2)}`).join(", ")}}`
      case 3:
        return `${pick(["!", "-", "!!", "--", "!!!!!"])}${expression(rest)}`
      case 4:
        return `if ${expression(rest >> 2)} then ${expression(half)} else ${expression(rest >> 2)}`
      case 5:
        return `${expression(half)}.${pick(METHODS)}(${below(3) === 0 ? "" : expression(half)})`
      case 6:
        return `${expression(rest)}.${WORDS()}`
      case 7:
        return `${expression(rest)}[${STRINGS()}]`
      case 8:
        return `${expression(half)} has ${WORDS()}${".a".repeat(below(3))}`
      case 9:
        return `${expression(half)} like ${STRINGS()}`
      case 10:
        return `${expression(half)} is ${pick(TYPES)}${below(2) === 0 ? "" : ` in ${expression(half)}`}`
      case 11:
        return chain(rest)
      default:
        return `${expression(half)} ${pick(OPERATORS)} ${expression(half)}`
    }
  }

  /** Generates shapes that nest, or make Cedar nest, at any length. */
  const chain = (size: number): string => {
    const length = below(300)
    switch (below(8)) {
      case 0:
        return `${"(".repeat(below(40))}${expression(size >> 1)}${")".repeat(below(40))}`
      case 1:
        return atom() + ` ${pick(OPERATORS)} ${atom()}`.repeat(length)
      case 2:
        return atom() + `.${WORDS()}`.repeat(length)
      case 3:
        return `${"if true then ".repeat(length >> 1)}${atom()}${" else true".repeat(length >> 1)}`
      case 4:
        return `${"if true then true else ".repeat(length >> 1)}${atom()}`
      case 5: {
        const depth = below(34)
        return `${pick(["[", "{a: ", "!(", "ip("]).repeat(depth)}${atom()}${pick(["]", "}", ")"]).repeat(depth)}`
      }
      case 6:
        return atom() + ".isLoopback()".repeat(length >> 1)
      default:
        return `[${times(below(60), atom).join(",")}].contains(${expression(size >> 1)})`
    }
  }

  const WORDS = () => pick(NAMES)
  const STRINGS = () => `"${times(below(4), () => pick(STRING_PARTS)).join("")}"`
  const atom = (): string => pick([() => pick(ATOMS), STRINGS, () => String(below(2 ** 31))])()

  const policy = (): string => {
    const scope = pick(SCOPES)
    const clauses = times(below(4), () => `${pick(["when", "unless"])} { ${expression(below(60))} }`)
    const annotations = times(below(3), () => `@${WORDS()}(${STRINGS()})`)
    return `${annotations.join(" ")} ${pick(["permit", "forbid"])}(${scope}) ${clauses.join(pick([" ", "\n"]))};`
  }

  const damage = (text: string): string => {
    const at = below(text.length + 1)
    const end = Math.min(text.length, at + below(30))
    switch (below(7)) {
      case 0:
        return text.slice(0, at) + pick(ODDITIES) + text.slice(at)
      case 1:
        return text.slice(0, at) + text.slice(end)
      case 2:
        return text.slice(0, end) + text.slice(at)
      case 3:
        return (
          text.slice(0, at) +
          pick(["(", "[", "{", ")", "]", "}", "!", "-", ";"]).repeat(below(400)) +
          text.slice(at)
        )
      case 4: {
        const depth = below(400)
        return (
          text.slice(0, at) +
          pick(ODDITIES) +
          "(".repeat(depth) +
          text.slice(at, end) +
          ")".repeat(depth) +
          text.slice(end)
        )
      }
      case 5:
        return text.slice(0, at) + expression(below(20)) + text.slice(at)
      default:
        return text.slice(0, at) + text.slice(at).replace(/[ ()"]/, pick(ODDITIES))
    }
  }

  const policies = below(10) === 0 ? times(below(4), policy).join("\n") : policy()
  return times(pick([0, 0, 1, 1, 2, 4, 8]), () => damage).reduce((text, change) => change(text), policies)
}

const NAMES = ["context", "source", "ip", "a", "_b1", "if", "true", "principal", "when", "hasTag", "__cedar"]
const METHODS = [
  "contains",
  "containsAll",
  "containsAny",
  "isEmpty",
  "isInRange",
  "isIpv4",
  "hasTag",
  "getTag",
  "lessThan",
  "offset",
]
const TYPES = ["App", "Clock", "A::B", "DataRole", "principal"]
const OPERATORS = ["&&", "||", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "in", "=", "%", "/"]
const ATOMS = [
  "true",
  "false",
  "principal",
  "action",
  "resource",
  "context",
  "context.source",
  "context.ip",
  "context.time",
  'context.clock.getTag("UTC").minuteOfDay',
  'App::"a"',
  "?principal",
  "?other",
  'ip("10.0.0.0/8")',
  'datetime("2030-01-01")',
  'decimal("1.5")',
  'duration("1h")',
  "9223372036854775807",
  "99999999999999999999",
]
const SCOPES = [
  "principal, action, resource",
  'principal == App::"a", action, resource',
  'principal is App, action in [Action::"Decrypt"], resource',
  "principal == ?principal, action, resource",
  "principal, action",
]
const STRING_PARTS = [
  "api",
  "*",
  "\\*",
  "\\n",
  "\\u{1F600}",
  "\\x41",
  '\\"',
  "\\\\",
  "(",
  "//",
  "\n",
  "\r",
  "é",
  "\u{1f600}",
  "\\q",
]
/** Where lexers disagree: line ends, white space, comments, quotes, escapes, characters that start no token. */
const ODDITIES = [
  "//",
  "//\r",
  "//\n",
  "// (\u2028",
  "// )\u0085",
  "\r",
  "\n",
  "\v",
  "\f",
  "\u0085",
  "\u00a0",
  "\u180e",
  "\u2028",
  "\u200b",
  "\ufeff",
  "\0",
  '"',
  '"\\',
  '"\\\n',
  '"\\\r',
  "\\",
  "/*",
  "*/",
  "#",
  "&",
  "|",
  "?",
  "'",
  "`",
  "\ud800",
  "\udc00",
  "\u{1f600}",
  "ª",
  "０",
  "٣",
  ":::",
  "===",
  "!==",
  ";",
]

/** Generates reproducible numbers from a seed (mulberry32). */
function createDice(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (bound: number): number => (bound <= 1 ? 0 : next() % bound)
  function pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item {
    const item = items[below(items.length)]
    if (item === undefined) throw new RangeError("There is nothing to pick")
    return item
  }
  const times = <Item>(count: number, make: () => Item): Item[] => Array.from({ length: count }, make)
  return { below, pick, times }
}
