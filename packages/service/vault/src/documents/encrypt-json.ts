import {
  formatCount,
  MAX_SEALED_VALUES,
  type MaybePromise,
  Pace,
  PayloadTooLargeError,
  processTask,
  type ScalarKind,
  SpliceWriter,
  type Task,
  type Work,
} from "@sealway/kernel"
import { isToken, type Metadata, type ValueSealingKey } from "@sealway/tokens"
import { writeSealed } from "../values/write-sealed.ts"
import { reserveToSeal } from "./held-bytes.ts"
import {
  beginsLikeToken,
  plainTextOf,
  type Scalar,
  scanScalars,
  textOf,
  valueProblem,
} from "./json-tokens.ts"

const VALUES_PER_STEP = 32
const LENGTHS_PER_STEP = 4_096

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
  const writer = new SpliceWriter(bytes, bytes.length + (yield* tokenBytes(values, key, metadata)))
  const pace = new Pace(VALUES_PER_STEP)
  let sealed = 0
  for (const value of values) {
    const { kind, start, end } = value
    if (pace.isDue(end - start)) yield
    const type = kind === "escaped-string" ? "string" : kind
    const content = kind === "escaped-string" ? yield* textOf(bytes, value) : plainTextOf(bytes, value)
    if (content === null) {
      throw yield* valueProblem(
        bytes,
        value,
        "The string contains a lone surrogate, which is not valid text.",
      )
    }
    if (type === "string" && beginsLikeToken(content) && isToken(content.toString())) continue
    const kept = writer.replace(start, end)
    if (kept !== null) yield* kept
    const large = writeSealed(writer, type, content, key, metadata)
    if (large !== null) yield* large
    sealed++
  }
  return { bytes: yield* writer.end(), values: sealed }
}

/** Returns by how much the tokens are larger than what they replace, at most: an escape is larger than what it stands for. */
function* tokenBytes(values: readonly Value[], key: ValueSealingKey, metadata: Metadata): Work<number> {
  let bytes = 0
  const pace = new Pace(LENGTHS_PER_STEP)
  for (const { kind, start, end } of values) {
    if (pace.isDue()) yield
    const type = kind === "escaped-string" ? "string" : kind
    bytes += key.tokenLength(type, end - start, metadata) + '""'.length - (end - start)
  }
  return bytes
}

function tooManyValues(): PayloadTooLargeError {
  return new PayloadTooLargeError(
    `The document has more than ${formatCount(MAX_SEALED_VALUES)} values. Split it into several requests.`,
  )
}
