import type { Readable } from "node:stream"
import { type Work, waitFor } from "@sealway/kernel"
import { isForFormat } from "./body-format.ts"
import { type BodyType, readBodyType } from "./body-type.ts"
import { mayDropBody, withoutBody } from "./drop-body.ts"
import type { Message } from "./message.ts"
import { limitsFor } from "./message-limits.ts"
import { refuseOtherForms } from "./refuse-other-forms.ts"
import { hasBytes, requireOpaque, requireType } from "./require-content.ts"
import { requireSize } from "./require-size.ts"
import { isForRewriter, transformMultipart } from "./transform-multipart.ts"
import { transformWholeBody } from "./transform-whole-body.ts"
import { passBody, type Transformation, type TransformedBody } from "./transformation.ts"

const NO_BYTES = Buffer.alloc(0)

/** Applies all changes, including those of the body, in the way that its type and its size require. */
export function* transformBody(transformation: Transformation): Work<TransformedBody> {
  const { message, operations, options } = transformation
  const { direction, body, contentLength } = message
  const { leakWatch } = options.compiled
  const isThere = body !== null && !isEmpty(message)
  const type = readBodyType(transformation, isThere)
  if (!isThere) return yield* passBody(transformation, body, contentLength)

  const { contentType, format, admission } = type
  const limits = limitsFor(format, operations, options.limits)
  if (contentType !== null) refuseOtherForms(message, format, contentType, operations, leakWatch)
  if (direction === "request") requireSize(contentLength, format, limits.maxBodyBytes)
  if (type.refusal !== null) return yield* passIfEmpty(transformation, body, type)
  if (admission === "tolerated" || admission === "unless-document") options.report.tolerate(direction)
  if (admission === "unless-document") {
    const whole = yield* waitFor(requireOpaque(message, body, operations))
    return yield* passBody(transformation, whole, contentLength)
  }
  if (admission === "listed" && contentType !== null) {
    const whole = yield* waitFor(requireType(message, body, contentType.type))
    return yield* passBody(transformation, whole, contentLength)
  }
  const isWanted = isForFormat(operations, format)
  if (contentType === null || format === "other" || (!isWanted && leakWatch === "off")) {
    return yield* passBody(transformation, body, contentLength)
  }
  const limited = { ...transformation, options: { ...options, limits } }
  if (format === "multipart" && isForRewriter(message, operations, limits)) {
    return yield* waitFor(transformMultipart(limited, body, contentType))
  }
  const isOptional = !isWanted && leakWatch === "alert"
  return yield* transformWholeBody(limited, body, { format, contentType, isOptional })
}

/**
 * Handles a body of a type that does not pass: passes an empty one on, drops that of an error where this is configured,
 * and refuses any other.
 */
function* passIfEmpty(
  transformation: Transformation,
  body: Buffer | Readable,
  { refusal }: BodyType,
): Work<TransformedBody> {
  const { message, operations, options, changes, rawHeaders } = transformation
  const isFilled = Buffer.isBuffer(body) || (yield* waitFor(hasBytes(body, message.direction)))
  if (!isFilled) return yield* passBody(transformation, NO_BYTES, 0)
  if (!operations.encryptsBody || !mayDropBody(message, options.compiled)) throw refusal
  yield* changes.apply(options.cipher)
  return withoutBody(rawHeaders)
}

function isEmpty({ body, contentLength }: Message): boolean {
  return (Buffer.isBuffer(body) && body.length === 0) || contentLength === 0
}
