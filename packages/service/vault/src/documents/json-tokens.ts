import {
  decodeJsonStringInSteps,
  type InvalidRequestError,
  invalidField,
  jsonProblem,
  MAX_JSON_DEPTH,
  pointerAtOffsetInSteps,
  type ScalarKind,
  scanJsonInSteps,
  type Work,
} from "@sealway/kernel"

/** A literal of a JSON document and its position. */
export interface Scalar {
  readonly kind: ScalarKind
  readonly start: number
  readonly end: number
}

/**
 * Yields the literals of a document, in order.
 *
 * @throws InvalidRequestError when it is not JSON or is nested too deep
 */
export function* scanScalars(
  bytes: Buffer,
  scalar: (kind: ScalarKind, start: number, end: number) => void,
): Work<void> {
  const ignore = () => undefined
  try {
    yield* scanJsonInSteps(bytes, { open: ignore, close: ignore, key: ignore, scalar }, MAX_JSON_DEPTH)
  } catch (error) {
    throw jsonProblem(error)
  }
}

/** Returns the text of a string literal as UTF-8; null for other literals, and for a string with a lone surrogate. */
export function* textOf(bytes: Buffer, { kind, start, end }: Scalar): Work<Buffer | null> {
  if (kind === "string") return bytes.subarray(start + 1, end - 1)
  if (kind !== "escaped-string") return null
  return yield* decodeJsonStringInSteps(bytes, true, start, end)
}

/** Returns the text of a literal without escapes, at once. */
export function plainTextOf(bytes: Buffer, { kind, start, end }: Scalar): Buffer {
  return kind === "string" ? bytes.subarray(start + 1, end - 1) : bytes.subarray(start, end)
}

/** True for text that starts with `ev:`. The grammar decides whether it is a token. */
export function beginsLikeToken(text: Buffer): boolean {
  return text[0] === 0x65 && text[1] === 0x76 && text[2] === 0x3a
}

const TOKEN_PREFIX = Buffer.from("ev:")
const BACKSLASH = 0x5c
const UNICODE_ESCAPE_BYTES = "\\u0065".length

/** Says the same of the text of a literal, in any spelling, without decoding all of it. */
export function literalBeginsLikeToken(bytes: Buffer, kind: ScalarKind, start: number): boolean {
  if (kind !== "string" && kind !== "escaped-string") return false
  let at = start + 1
  for (const wanted of TOKEN_PREFIX) {
    const isEscaped = bytes[at] === BACKSLASH
    const end = at + (isEscaped ? UNICODE_ESCAPE_BYTES : 1)
    const found = isEscaped ? Number.parseInt(bytes.toString("latin1", at + 2, end), 16) : bytes[at]
    if (found !== wanted) return false
    at = end
  }
  return true
}

/** Counts the strings of a document that begin like a token. */
export function* countLikelyTokens(bytes: Buffer): Work<number> {
  let count = 0
  yield* scanScalars(bytes, (kind, start) => {
    if (literalBeginsLikeToken(bytes, kind, start)) count++
  })
  return count
}

/** Builds the refusal of one value of a document. It contains the value's place, never the value. */
export function* valueProblem(bytes: Buffer, { start }: Scalar, reason: string): Work<InvalidRequestError> {
  const pointer = yield* pointerAtOffsetInSteps(bytes, start, MAX_JSON_DEPTH)
  return invalidField(pointer, reason)
}
