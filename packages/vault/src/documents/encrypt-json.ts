import {
  type Edit,
  formatCount,
  MAX_SEALED_VALUES,
  type MaybePromise,
  Pace,
  PayloadTooLargeError,
  processTask,
  type ScalarKind,
  spliceBytesInSteps,
  type Task,
  type Work,
} from "@sealway/kernel"
import { isToken, type Metadata, type ValueSealingKey } from "@sealway/tokens"
import { sealLiteral } from "../values/seal-literal.ts"
import { reserveToSeal } from "./held-bytes.ts"
import { beginsLikeToken, type Scalar, scanScalars, textOf, valueProblem } from "./json-tokens.ts"

const VALUES_PER_STEP = 32

type Value = Scalar & { readonly kind: Exclude<ScalarKind, "null"> }

/** A document with its values encrypted, and how many were. */
export interface EncryptedJson {
  readonly bytes: Buffer
  readonly values: number
}

/**
 * Replaces every string, number and boolean of a JSON document by a token. Everything else stays byte for byte: shape,
 * key order, white space, `null`, empty containers, and existing tokens.
 *
 * @param sealingKeyFor returns the key to seal a number of values with
 * @param metadata the role of all values, and the time
 * @param task runs the work, and has the memory for it. Default: that of no request
 * @throws InvalidRequestError when the document is not JSON, is nested too deep, or holds a lone surrogate
 * @throws PayloadTooLargeError when it holds more values than are sealed at once
 */
export function encryptJson(
  bytes: Buffer,
  sealingKeyFor: (values: number) => ValueSealingKey,
  metadata: Metadata,
  task: Task = processTask,
): MaybePromise<EncryptedJson> {
  return task.run(encryptInSteps(bytes, sealingKeyFor, metadata, task))
}

function* encryptInSteps(
  bytes: Buffer,
  sealingKeyFor: (values: number) => ValueSealingKey,
  metadata: Metadata,
  task: Task,
): Work<EncryptedJson> {
  yield* reserveToSeal(bytes, task)
  const values: Value[] = []
  yield* scanScalars(bytes, (kind, start, end) => {
    if (kind === "null") return
    if (values.push({ kind, start, end }) > MAX_SEALED_VALUES) throw tooManyValues()
  })
  const key = sealingKeyFor(values.length)
  const edits: Edit[] = []
  const pace = new Pace(VALUES_PER_STEP)
  for (const value of values) {
    const { kind, start, end } = value
    if (pace.isDue(end - start)) yield
    const type = kind === "escaped-string" ? "string" : kind
    const content = type === "string" ? yield* textOf(bytes, value) : bytes.subarray(start, end)
    if (content === null) {
      throw yield* valueProblem(
        bytes,
        value,
        "The string contains a lone surrogate, which is not valid text.",
      )
    }
    if (type === "string" && beginsLikeToken(content) && isToken(content.toString())) continue
    const sealed = sealLiteral(type, content, key, metadata)
    edits.push({ start, end, text: typeof sealed === "string" ? sealed : yield* sealed })
  }
  return { bytes: yield* spliceBytesInSteps(bytes, edits), values: edits.length }
}

function tooManyValues(): PayloadTooLargeError {
  return new PayloadTooLargeError(
    `The document has more than ${formatCount(MAX_SEALED_VALUES)} values. Split it into several requests.`,
  )
}
