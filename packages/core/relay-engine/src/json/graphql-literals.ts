import { Pace, type Work } from "@sealway/kernel"
import type { GraphqlSelection } from "../jsonpath/json-path.ts"

const TOKENS_PER_STEP = 2_048

const IS_NAME = /^[A-Za-z_]/
/** These tell nothing: no value, and the order of a list by a field, as Hasura and Prisma write it. */
const OF_NO_VALUE = /^(?:null|(?:asc|desc)(?:_nulls_(?:first|last))?|ASC|DESC)$/

/**
 * Whether a GraphQL query has a value where a selected variable belongs: a literal, an enum's value, a default, or another
 * variable. The sender chooses these, and nothing of them would be encrypted.
 */
export function* hasSelectedLiteral(
  query: string,
  { variables, names, last }: GraphqlSelection,
): Work<boolean> {
  const pace = new Pace(TOKENS_PER_STEP)
  /** The argument, field of an object, or declared variable that the next value is for. */
  let owner: string | null = null
  let declared: string | null = null
  /** Only in parentheses a name after a colon is a value: elsewhere it is the field that an alias is for. */
  let depth = 0
  let [before, beforeThat] = ["", ""]
  for (const token of tokensOf(query)) {
    if (pace.isDue(token.length)) yield
    const isText = token.startsWith('"')
    if (names === null && isText) return true
    const isFor = names !== null && owner !== null && names.has(owner)
    if (isFor && (before === ":" || before === "=")) {
      if (isText || /^[\d-]/.test(token)) return true
      if (depth > 0 && IS_NAME.test(token) && !OF_NO_VALUE.test(token)) return true
      if ((token === "{" || token === "[") && last.has(owner ?? "")) return true
    }
    if (isFor && before === "$" && beforeThat === ":" && variables?.has(token) === false) return true
    if (token === "(") depth++
    else if (token === ")") depth--
    else if (token === ":") {
      const isDeclaration = beforeThat === "$"
      owner = isDeclaration ? null : before
      declared = isDeclaration ? before : declared
    } else if (token === "=") owner = declared
    beforeThat = before
    before = token
  }
  return false
}

/**
 * Yields the names, numbers, texts and signs of a query (GraphQL, section 2.1). A text is shown by its quote alone: only
 * where it is matters.
 */
function* tokensOf(query: string): Generator<string, void, void> {
  const rest = /[\w.-]*/y
  const ignored = /[\s,\ufeff]*/y
  for (let at = 0; at < query.length; ) {
    const first = query.charAt(at)
    if (first === "#") at = endOfLine(query, at)
    else if (first === '"') {
      yield first
      at = endOfText(query, at)
    } else if (/[\s,\ufeff]/.test(first)) {
      // In one go: they come to no token, at which this could yield.
      ignored.lastIndex = at
      ignored.test(query)
      at = ignored.lastIndex
    } else if (/[\w-]/.test(first)) {
      rest.lastIndex = at
      const [word = first] = rest.exec(query) ?? []
      yield word
      at += word.length
    } else {
      yield first
      at++
    }
  }
}

function endOfLine(query: string, from: number): number {
  const end = query.slice(from).search(/[\n\r]/)
  return end === -1 ? query.length : from + end
}

/** A text that is not ended reaches to the end. */
function endOfText(query: string, from: number): number {
  const quote = query.startsWith('"""', from) ? '"""' : '"'
  let at = from + quote.length
  while (at < query.length && !query.startsWith(quote, at)) {
    if (query[at] === "\\") at += query.startsWith(quote, at + 1) ? quote.length : quote === '"' ? 1 : 0
    at++
  }
  return at + quote.length
}
