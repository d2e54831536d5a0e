import {
  type Edit,
  type MaybePromise,
  Pace,
  processTurns,
  spliceBytesInSteps,
  type Turns,
  type Work,
  waitFor,
} from "@sealway/kernel"
import type { SealingKey } from "@sealway/tokens"
import { sealLiteral } from "../values/seal-literal.ts"
import type { TokenOpener } from "../values/token-opener.ts"
import { openTokens } from "./open-tokens.ts"

const VALUES_PER_STEP = 32

/**
 * Reseals every token of a JSON document with the newest keys, keeping its type, its role and the time it was encrypted,
 * if that is known. Everything else stays byte for byte. No plaintext is returned, so no policy decides.
 *
 * @param sealingKeyFor returns the key to seal a number of values with
 * @param turns the turns of long-running work. Default: the process's
 * @throws InvalidRequestError when the document is not JSON, is nested too deep, or holds a token that does not open
 */
export function rewrapJson(
  bytes: Buffer,
  opener: TokenOpener,
  sealingKeyFor: (values: number) => MaybePromise<SealingKey>,
  nowSeconds: number,
  turns: Turns = processTurns,
): MaybePromise<Buffer> {
  return turns.run(rewrapInSteps(bytes, opener, sealingKeyFor, nowSeconds))
}

function* rewrapInSteps(
  bytes: Buffer,
  opener: TokenOpener,
  sealingKeyFor: (values: number) => MaybePromise<SealingKey>,
  nowSeconds: number,
): Work<Buffer> {
  const places = yield* openTokens(bytes, opener)
  const key = yield* waitFor(sealingKeyFor(places.length))
  const edits: Edit[] = []
  const pace = new Pace(VALUES_PER_STEP)
  for (const { place, opened } of places) {
    if (pace.isDue(opened.value.length)) yield
    const { type, value, role, encryptedAt } = opened
    const sealed = sealLiteral(type, value, key, { role, encryptedAt: encryptedAt ?? nowSeconds })
    const text = typeof sealed === "string" ? sealed : yield* sealed
    edits.push({ start: place.start, end: place.end, text })
  }
  return yield* spliceBytesInSteps(bytes, edits)
}
