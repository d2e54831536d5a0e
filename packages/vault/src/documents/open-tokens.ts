import { Pace, type Work, waitFor } from "@sealway/kernel"
import {
  InvalidTokenError,
  LARGE_VALUE_BYTES,
  type OpenedValue,
  type ParsedToken,
  parseToken,
  parseTokenInSteps,
} from "@sealway/tokens"
import type { TokenOpener } from "../values/token-opener.ts"
import { beginsLikeToken, type Scalar, scanScalars, textOf, valueProblem } from "./json-tokens.ts"

/** A token of a document: where it stands, and what it holds. */
export interface OpenedPlace {
  readonly place: Scalar
  readonly opened: OpenedValue
}

const LOWER_E = 0x65
const VALUES_PER_STEP = 32

/** What a string is that begins with `ev:` and is no whole token: data, or a token that lost a part on its way. */
export type BrokenTokens = "pass" | "refuse"

/**
 * Opens every token of a JSON document, in order. What is not of the token grammar is data and left alone, unless what only
 * begins like a token is to be refused.
 *
 * @throws InvalidRequestError when the document is not JSON, nests too deep, or holds a token that does not open;
 * the pointer tells which, and nothing tells why
 */
export function* openTokens(
  bytes: Buffer,
  opener: TokenOpener,
  brokenTokens: BrokenTokens = "pass",
): Work<OpenedPlace[]> {
  const candidates: Scalar[] = []
  yield* scanScalars(bytes, (kind, start, end) => {
    const mayBeToken = kind === "escaped-string" || (kind === "string" && bytes[start + 1] === LOWER_E)
    if (mayBeToken) candidates.push({ kind, start, end })
  })
  const places: OpenedPlace[] = []
  let previous: ParsedToken | null = null
  const pace = new Pace(VALUES_PER_STEP)
  for (const place of candidates) {
    if (pace.isDue(place.end - place.start)) yield
    const text = yield* textOf(bytes, place)
    if (text === null || !beginsLikeToken(text)) continue
    try {
      const token: ParsedToken | null =
        text.length < LARGE_VALUE_BYTES
          ? parseToken(text.toString(), previous)
          : yield* parseTokenInSteps(text, previous)
      if (token === null) {
        if (brokenTokens === "pass") continue
        throw yield* valueProblem(bytes, place, "The value begins with ev: and is no whole token.")
      }
      const opened = opener.openToken(token)
      places.push({ place, opened: opened instanceof Promise ? yield* waitFor(opened) : opened })
      previous = token
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error
      throw yield* valueProblem(bytes, place, "The value cannot be decrypted.", error)
    }
  }
  return places
}
