import type { Allowance } from "@sealway/accounts"
import {
  MAX_JSON_DEPTH,
  Pace,
  pointerAtOffsetInSteps,
  processTurns,
  type Turns,
  type Work,
  waitFor,
} from "@sealway/kernel"
import {
  InvalidTokenError,
  isOfSubject,
  LARGE_VALUE_BYTES,
  type OpenedValue,
  type ParsedToken,
  parseTokenAt,
  parseTokenInSteps,
  subjectIdOf,
} from "@sealway/tokens"
import type { HoneyValue } from "../values/honey-value.ts"
import { TokensAhead } from "../values/open-ahead.ts"
import { needsAgreement, type TokenOpener } from "../values/token-opener.ts"
import { literalBeginsLikeToken, type Scalar, scanScalars, textOf, valueProblem } from "./json-tokens.ts"
import { unopenedValue } from "./unopened-value.ts"

/**
 * Called with each opened token of a document, and its place. Returns the work if there is much to do.
 *
 * @param subjectId the id of the data subject that the token names; null for a token of none
 */
export type VisitOpened = (
  place: Scalar,
  opened: OpenedValue | HoneyValue,
  subjectId: string | null,
) => Work<void> | null

const VALUES_PER_STEP = 32

/**
 * What to do with a string that starts with `ev:` and is not a complete token: it is data, or a token that was damaged
 * on the way.
 */
export type BrokenTokens = "pass" | "refuse"

export interface OpenTokensOptions {
  /** Default: the process's. */
  readonly turns?: Pick<Turns, "next">
  /** Default: `pass`. */
  readonly brokenTokens?: BrokenTokens
  /** What the values count for. Default: nothing. */
  readonly allowance?: Pick<Allowance, "takeValues" | "addValues"> | undefined
}

/**
 * Opens every token of a JSON document, in order. Text that does not match the token grammar is data and left alone,
 * unless anything that only starts like a token is to be refused.
 *
 * @returns how many tokens there are
 * @throws InvalidRequestError when the document is not JSON, is nested too deep, or holds a token that does not open;
 * the pointer says which one, and nothing says why
 * @throws RateLimitError when it holds more tokens than the sender has left
 * @throws ApiError `data-subject/erased` when it holds a token of an erased data subject
 */
export function* openTokens(
  bytes: Buffer,
  opener: TokenOpener,
  { turns = processTurns, brokenTokens = "pass", allowance }: OpenTokensOptions,
  visit: VisitOpened,
): Work<number> {
  const candidates: Scalar[] = []
  yield* scanScalars(bytes, (kind, start, end) => {
    if (literalBeginsLikeToken(bytes, kind, start)) candidates.push({ kind, start, end })
  })
  // Before any is opened, which is the work. All that may be one counts, however it is spelled: otherwise escapes would
  // pass with nothing left. What only looks like a token is given back below.
  allowance?.takeValues(candidates.length)
  let count = 0
  let previous: ParsedToken | null = null
  let isAhead = false
  const pace = new Pace(VALUES_PER_STEP)
  let seen = 0
  for (const place of candidates) {
    if (!isAhead && opener.asksAws()) {
      isAhead = true
      yield* openAhead(bytes, candidates.slice(seen), opener, turns)
    }
    seen++
    if (pace.isDue(place.end - place.start)) yield
    try {
      const token: ParsedToken | null = isShortPlain(place)
        ? parseTokenAt(bytes, place.start + 1, place.end - 1, previous)
        : yield* parseInSteps(bytes, place, previous)
      if (token === null) {
        if (brokenTokens === "pass") continue
        throw yield* valueProblem(bytes, place, "The value begins with ev: but is not a complete token.")
      }
      // Not before the first: a request with one value never waits for its turn.
      if (previous !== null && needsAgreement(token, previous)) yield
      const maybe = opener.openToken(token)
      const opened = maybe instanceof Promise ? yield* waitFor(maybe) : maybe
      previous = token
      count++
      const work = visit(place, opened, isOfSubject(token) ? subjectIdOf(token) : null)
      if (work !== null) yield* work
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error
      throw unopenedValue(yield* pointerAtOffsetInSteps(bytes, place.start, MAX_JSON_DEPTH), error)
    }
  }
  allowance?.addValues(count - candidates.length)
  return count
}

/** Whether the text of a string literal can be read as it is, in one step. */
function isShortPlain({ kind, start, end }: Scalar): boolean {
  return kind === "string" && end - start < LARGE_VALUE_BYTES
}

/** Returns null for a string with a lone surrogate, and for one that is no token. */
function* parseInSteps(
  bytes: Buffer,
  place: Scalar,
  previous: ParsedToken | null = null,
): Work<ParsedToken | null> {
  const text = yield* textOf(bytes, place)
  if (text === null) return null
  return text.length < LARGE_VALUE_BYTES
    ? parseTokenAt(text, 0, text.length, previous)
    : yield* parseTokenInSteps(text, previous)
}

/** Opens small tokens among the candidates at the same time; the others are left for later. */
function* openAhead(
  bytes: Buffer,
  candidates: readonly Scalar[],
  opener: TokenOpener,
  turns: Pick<Turns, "next">,
): Work<void> {
  const ahead = new TokensAhead()
  const pace = new Pace(VALUES_PER_STEP)
  for (const place of candidates) {
    if (pace.isDue()) yield
    if (place.end - place.start >= LARGE_VALUE_BYTES) continue
    const text = yield* textOf(bytes, place)
    const token = text === null ? null : parseOrNull(text)
    if (token !== null && !ahead.add(token)) break
  }
  yield* waitFor(ahead.open(opener, turns))
}

function parseOrNull(text: Buffer): ParsedToken | null {
  try {
    return parseTokenAt(text, 0, text.length)
  } catch (error) {
    if (error instanceof InvalidTokenError) return null
    throw error
  }
}
