import type { Readable } from "node:stream"
import { type Edit, headerOf, spliceBytesInSteps, type Work, waitFor } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import { addBodyValues } from "./body-values.ts"
import { goesOnDecoded } from "./goes-on-decoded.ts"
import { locateBody, type RawBody } from "./locate-body.ts"
import { messageProblem } from "./message-problem.ts"
import { readBody, readBodyUpTo } from "./read-body.ts"
import { refuseMethodInForm, refuseMethodInJson } from "./refuse-method-override.ts"
import { mayHoldToken, refuseUnselectedTokens } from "./refuse-tokens.ts"
import { passBody, replaceBody, type Transformation, type TransformedBody } from "./transformation.ts"
import { watchBody } from "./watch-body.ts"

interface WholeBodyType extends Pick<RawBody, "format" | "contentType"> {
  /** Whether it is only inspected: what cannot be read, or is too large for it, passes. */
  readonly isOptional: boolean
}

/** Changes a body that is kept in memory as a whole. */
export function* transformWholeBody(
  transformation: Transformation,
  body: Buffer | Readable,
  { format, contentType, isOptional }: WholeBodyType,
): Work<TransformedBody> {
  const { message, options, rawHeaders } = transformation
  const { maxBodyBytes } = options.limits
  const isEncoded = headerOf(message.rawHeaders, "content-encoding") !== undefined
  const bytes = isOptional
    ? yield* waitFor(readBodyUpTo(body, maxBodyBytes, message.direction, { ...options, isEncoded }))
    : yield* readBody(body, maxBodyBytes, message.direction, { ...options, isEncoded })
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
    return yield* passBody(transformation, bytes, message.contentLength)
  }
  const raw = { rawHeaders: message.rawHeaders, bytes, format, contentType }
  const changed = isOptional
    ? yield* changeIfReadable(transformation, raw)
    : yield* changeValues(transformation, raw)
  if (changed === null) {
    return { rawHeaders, body: bytes, contentLength: bytes.length, isBodyChanged: false }
  }
  return replaceBody(transformation, changed, changed.length)
}

/**
 * Adds the values of a body to the changes, and applies all changes.
 *
 * @returns null when none of its bytes changed
 */
function* changeValues(
  { message, operations, options, subjects, changes }: Transformation,
  raw: RawBody,
): Work<Buffer | null> {
  const { direction } = message
  const { compiled, cipher, limits, report, memory } = options
  const { bytes, located, group, encode, isDecoded } = yield* locateBody(raw, operations, {
    maxBytes: limits.maxBodyBytes,
    caseSensitiveNames: compiled.caseSensitiveNames,
    goesOnDecoded: goesOnDecoded(message, operations),
    memory,
  })
  if (raw.format === "json") yield* subjects.readJson(bytes, compiled.caseSensitiveNames)
  const isRequest = direction === "request"
  if (operations.watchesMethod && raw.format !== "xml") {
    if (raw.format === "json") yield* refuseMethodInJson(bytes, message.method ?? "")
    else yield* refuseMethodInForm(located, message.method ?? "")
  }
  const edits: Edit[] = []
  yield* addBodyValues(located, group, changes, edits)
  if (isRequest && operations.encrypts && (raw.format !== "json" || (yield* mayHoldToken(bytes)))) {
    yield* refuseUnselectedTokens(located)
  }
  yield* watchBody(located, compiled.leakWatch, direction, report)
  yield* changes.apply(cipher)
  if (edits.length === 0 && !isDecoded) return null
  return yield* waitFor(encode(yield* spliceBytesInSteps(bytes, edits)))
}

/** Inspects a body: one that cannot be read may pass. */
function* changeIfReadable(transformation: Transformation, raw: RawBody): Work<Buffer | null> {
  try {
    return yield* changeValues(transformation, raw)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    yield* transformation.changes.apply(transformation.options.cipher)
    return null
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof UnreadableBodyError || messageProblem("request", error) !== error
}
