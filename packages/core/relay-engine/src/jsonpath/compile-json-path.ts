import { JSONPathEnvironment, JSONPathError, type JSONPathQuery } from "json-p3"
import { SelectorError } from "../errors/selector-error.ts"
import { convertSegments } from "./convert-query.ts"
import { graphqlSelection } from "./graphql-selection.ts"
import type { JsonPath } from "./json-path.ts"
import { hintFor } from "./selector-hint.ts"

const MAX_LENGTH = 512
/**
 * In the selector and the queries of its filters together: each may visit the whole body for each node of the previous
 * one.
 */
const MAX_DESCENDANT_SEGMENTS = 2

/** Only its parser is used; it evaluates nothing. */
const ENVIRONMENT = new JSONPathEnvironment()

/**
 * Compiles a JSONPath selector (RFC 9535), such as `$.patients[?@.country == 'IE'].name`. Names may contain hyphens
 * without quotes too: `$.first-name`.
 *
 * @param selector at most 512 characters, with at most two descendant segments (`..`)
 * @throws SelectorError with the position and, for known syntax of other dialects, what to write instead
 */
export function compileJsonPath(selector: string): JsonPath {
  if (selector.length > MAX_LENGTH) {
    throw new SelectorError(`A selector can have at most ${MAX_LENGTH} characters.`, null)
  }
  if (!selector.isWellFormed()) throw new SelectorError("The selector contains a lone surrogate.", null)
  const { segments, descendantSegments } = convertSegments(parse(selector).segments)
  if (descendantSegments > MAX_DESCENDANT_SEGMENTS) {
    throw new SelectorError(`A selector can have at most ${MAX_DESCENDANT_SEGMENTS} "..".`, null)
  }
  const graphql = graphqlSelection(segments)
  return { selector, segments, ...(graphql !== null && { graphql }) }
}

function parse(selector: string): JSONPathQuery {
  try {
    return ENVIRONMENT.compile(selector)
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error
    const position = positionOf(error, selector)
    const hint = hintFor(selector)
    const reason = `The selector is not valid JSONPath${reasonOf(error)}.`
    throw new SelectorError(hint === null ? reason : `${reason} ${hint}`, position, { cause: error })
  }
}

/** Returns the start of a word that is not understood, where json-p3 reports its end. */
function positionOf({ message, token }: JSONPathError, selector: string): number {
  const position = Math.min(token.index, selector.length)
  if (!/^unexpected filter selector token '[a-z]'/.test(message)) return position
  let start = position
  while (/[a-z0-9_]/.test(selector.charAt(start - 1))) start--
  return start
}

/** Removes the excerpt that json-p3 appends, and rewords its internal terms. */
function reasonOf({ message }: JSONPathError): string {
  if (/backup|TOKEN_/.test(message)) return ""
  const excerpt = message.lastIndexOf(" ('")
  return `: ${excerpt === -1 ? message : message.slice(0, excerpt)}`
}
