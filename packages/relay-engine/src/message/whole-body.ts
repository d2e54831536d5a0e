import { andThen, type MaybePromise, spliceBytes } from "@sealway/kernel"
import type { Operations } from "../compile-operations.ts"
import { goesOnDecoded } from "./goes-on-decoded.ts"
import { locateBody, type RawBody } from "./locate-body.ts"
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
export function transformWholeBody(
  raw: RawBody,
  direction: "request" | "response",
  operations: Operations,
  changes: ValueChanges,
  { compiled, cipher, limits, report, memory }: TransformOptions,
): MaybePromise<Buffer | null> {
  const { caseSensitiveNames } = compiled
  const read = locateBody(raw, operations, {
    maxBytes: limits.maxBodyBytes,
    goesOnDecoded: goesOnDecoded({ direction }, operations),
    ...{ caseSensitiveNames, memory },
  })
  return andThen(read, ({ bytes, located, group, encode, isDecoded }) => {
    if (direction === "request" && compiled.distinguishesMethods) refuseMethodField(raw.format, located)
    const edits = addBody(located, group, changes)
    if (direction === "request" && operations.encrypts && (raw.format !== "json" || mayHoldToken(bytes))) {
      refuseUnselectedTokens(located)
    }
    watchBody(located, compiled.leakWatch, direction, report)
    return andThen(changes.apply(cipher), () =>
      edits.length === 0 && !isDecoded ? null : encode(spliceBytes(bytes, edits)),
    )
  })
}
