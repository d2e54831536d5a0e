import { type Edit, spliceBytesInSteps, type Work, waitFor } from "@sealway/kernel"
import type { Operations } from "../operations/compile-operations.ts"
import { goesOnDecoded } from "./goes-on-decoded.ts"
import { locateBodyInSteps, type RawBody } from "./locate-body.ts"
import type { TransformOptions } from "./message.ts"
import { addBody } from "./places.ts"
import { refuseMethodField } from "./refuse-method-field.ts"
import { mayHoldToken, refuseUnselectedTokens } from "./refuse-tokens.ts"
import type { ValueChanges } from "./value-changes.ts"
import { watchBody } from "./watch-body.ts"

/**
 * Adds the values of a body that is there as a whole to those that are to be changed, and applies all changes.
 *
 * @returns null when none of its bytes changed
 */
export function* transformWholeBody(
  raw: RawBody,
  direction: "request" | "response",
  operations: Operations,
  changes: ValueChanges,
  { compiled, cipher, limits, report, memory }: TransformOptions,
): Work<Buffer | null> {
  const { caseSensitiveNames } = compiled
  const { bytes, located, group, encode, isDecoded } = yield* locateBodyInSteps(raw, operations, {
    maxBytes: limits.maxBodyBytes,
    goesOnDecoded: goesOnDecoded({ direction }, operations),
    ...{ caseSensitiveNames, memory },
  })
  const isRequest = direction === "request"
  const isForm = raw.format === "urlencoded" || raw.format === "multipart"
  if (isRequest && compiled.distinguishesMethods && isForm) yield* refuseMethodField(located)
  const edits: Edit[] = []
  const rest = addBody(located, group, changes, edits)
  if (rest !== null) yield* rest
  if (isRequest && operations.encrypts && (raw.format !== "json" || (yield* mayHoldToken(bytes)))) {
    yield* refuseUnselectedTokens(located)
  }
  if (compiled.leakWatch !== "off") yield* watchBody(located, compiled.leakWatch, direction, report)
  yield* changes.applyInSteps(cipher)
  if (edits.length === 0 && !isDecoded) return null
  const encoded = encode(yield* spliceBytesInSteps(bytes, edits))
  return encoded instanceof Promise ? yield* waitFor(encoded) : encoded
}
