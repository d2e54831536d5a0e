import {
  type Edit,
  MAX_SEALED_VALUES,
  type MaybePromise,
  Pace,
  PayloadTooLargeError,
  processTurns,
  spliceBytesInSteps,
  type Turns,
  type Work,
} from "@sealway/kernel"
import { isToken, type SealingKey, type SealMetadata } from "@sealway/tokens"
import { beginsLikeToken, type Scalar, scanScalars, textOf, valueProblem } from "./json-tokens.ts"

const VALUES_PER_STEP = 32

/**
 * Replaces every string, number and boolean of a JSON document by a token. Everything else stays byte for byte:
 * shape, key order, white space, `null`, empty containers, and tokens that are there already.
 *
 * @param sealingKeyFor the key to seal a number of values with
 * @param turns what long work shares. Default: the process's
 * @throws InvalidRequestError when the document is not JSON, nests too deep, or holds a lone surrogate
 * @throws PayloadTooLargeError when it holds more values than are sealed at once
 */
export function encryptJson(
  bytes: Buffer,
  sealingKeyFor: (values: number) => SealingKey,
  metadata: SealMetadata | null,
  turns: Turns = processTurns,
): MaybePromise<Buffer> {
  return turns.run(encryptInSteps(bytes, sealingKeyFor, metadata))
}

function* encryptInSteps(
  bytes: Buffer,
  sealingKeyFor: (values: number) => SealingKey,
  metadata: SealMetadata | null,
): Work<Buffer> {
  const scalars: Scalar[] = []
  yield* scanScalars(bytes, (kind, start, end) => {
    if (kind === "null") return
    if (scalars.push({ kind, start, end }) > MAX_SEALED_VALUES) throw tooManyValues()
  })
  const key = sealingKeyFor(scalars.length)
  const edits: Edit[] = []
  const pace = new Pace(VALUES_PER_STEP)
  for (const scalar of scalars) {
    if (pace.isDue(scalar.end - scalar.start)) yield
    const token = sealScalar(bytes, scalar, key, metadata)
    if (token === "no text") {
      throw yield* valueProblem(bytes, scalar, "The string holds a lone surrogate, which is not text.")
    }
    if (token !== null) edits.push({ start: scalar.start, end: scalar.end, text: `"${token}"` })
  }
  return yield* spliceBytesInSteps(bytes, edits)
}

/** Null for a token. */
function sealScalar(
  bytes: Buffer,
  scalar: Scalar,
  key: SealingKey,
  metadata: SealMetadata | null,
): string | "no text" | null {
  const { kind, start, end } = scalar
  switch (kind) {
    case "null":
      return null
    case "number":
    case "boolean":
      return key.seal(kind, bytes.subarray(start, end), metadata ?? undefined)
    case "string":
    case "escaped-string": {
      const text = textOf(bytes, scalar)
      if (text === null) return "no text"
      if (beginsLikeToken(text) && isToken(text.toString())) return null
      return key.seal("string", text, metadata ?? undefined)
    }
  }
}

function tooManyValues(): PayloadTooLargeError {
  return new PayloadTooLargeError(
    `The document holds more than ${MAX_SEALED_VALUES.toLocaleString("en")} values. Send parts of it.`,
  )
}
