import { andThen, headerOf, type MaybePromise, type RawHeaders, type Work } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import { type ContentType, parseContentType } from "../headers/content-type.ts"
import type { Operations } from "../operations/compile-operations.ts"
import { type BodyFormat, formatOf, isForFormat } from "./body-format.ts"
import { mayDropBody, withoutBody } from "./drop-body.ts"
import { goesOnDecoded } from "./goes-on-decoded.ts"
import { addHeaders } from "./header-changes.ts"
import { headersOfChangedBody, headersOfDecodedBody } from "./headers-of-changed-body.ts"
import type { RawBody } from "./locate-body.ts"
import type { Message, TransformedMessage, TransformOptions } from "./message.ts"
import { limitsFor } from "./message-limits.ts"
import { messageProblem } from "./message-problem.ts"
import { isForRewriter, transformMultipart } from "./multipart-message.ts"
import { selectQuery } from "./query-changes.ts"
import { readBody, readBodyUpTo } from "./read-body.ts"
import { refuseOtherForms } from "./refuse-other-forms.ts"
import { refuseSimilarHeaders } from "./refuse-similar-headers.ts"
import { refuseTokenInTarget, refuseTokensInHeaders } from "./refuse-tokens.ts"
import { hasBytes, isOpaque, requireOpaque, unknownTypeRefusal } from "./refuse-unknown-types.ts"
import { requireSize } from "./require-size.ts"
import { ValueChanges } from "./value-changes.ts"
import { watchQuery } from "./watch-body.ts"
import { transformWholeBody } from "./whole-body.ts"

const NO_BYTES = Buffer.alloc(0)

/**
 * Encrypts and decrypts the selected values of a message. All other bytes stay as they are: a body is read only where
 * an operation is for its format, or the leak watch looks at it. Whether values may be decrypted is decided once for
 * the headers and the body together, and nothing is changed when one may not.
 *
 * A large multipart body whose fields and files are encrypted only is a stream: what is wrong further down in it
 * makes that stream fail, with the `RelayError` that it would otherwise have been refused with.
 *
 * @throws RelayError
 */
export function transformMessage(
  message: Message,
  operations: Operations,
  options: TransformOptions,
): MaybePromise<TransformedMessage> {
  const refuse = (error: unknown) => {
    throw messageProblem(message.direction, error)
  }
  try {
    const transformed = transform(message, operations, options)
    return transformed instanceof Promise ? transformed.catch(refuse) : transformed
  } catch (error) {
    return refuse(error)
  }
}

function transform(
  message: Message,
  operations: Operations,
  options: TransformOptions,
): MaybePromise<TransformedMessage> {
  const { direction, target, rawHeaders } = message
  const { compiled, report, memory, turns } = options
  const query = target === null ? null : selectQuery(target, operations.query, compiled.caseSensitiveNames)
  if (direction === "request" && operations.encrypts) {
    refuseTokenInTarget(query?.rest ?? "")
    refuseTokensInHeaders(rawHeaders, operations.header)
    refuseSimilarHeaders(rawHeaders, operations)
  }
  if (query !== null) watchQuery(query, compiled.leakWatch, report)
  const { encryptEmptyStrings } = compiled
  const changes = new ValueChanges({ encryptEmptyStrings, report, memory, turns })
  query?.addTo(changes)
  const changedHeaders = addHeaders(
    rawHeaders,
    operations.header,
    changes,
    options.limits.maxHeaderValueBytes,
  )
  const transformed = transformBody(message, operations, changes, changedHeaders, options)
  return andThen(transformed, (rest) => ({ ...rest, target: query?.target() ?? null }))
}

type TransformedBody = Omit<TransformedMessage, "target">

/** Applies all changes, those of headers and query too. */
function transformBody(
  message: Message,
  operations: Operations,
  changes: ValueChanges,
  changedHeaders: RawHeaders,
  options: TransformOptions,
): MaybePromise<TransformedBody> {
  const { direction, rawHeaders, contentLength } = message
  const { compiled, cipher, turns } = options
  const body = isEmpty(message) ? null : message.body
  const passUnchanged = (
    unchanged: TransformedBody["body"],
    length: number | null,
  ): MaybePromise<TransformedBody> =>
    andThen(changes.apply(cipher), () => ({
      ...{ rawHeaders: changedHeaders, body: unchanged, contentLength: length, isBodyChanged: false },
    }))
  const { contentType, format, refusal } = readType(message, body !== null, operations, compiled)
  const limits = limitsFor(format, operations, options.limits)
  if (body === null) return passUnchanged(message.body, contentLength)
  if (contentType !== null) refuseOtherForms(message, format, contentType, operations, compiled.leakWatch)
  if (direction === "request") requireSize(contentLength, format, limits.maxBodyBytes)
  if (refusal !== null) {
    return andThen(Buffer.isBuffer(body) || hasBytes(body), (isFilled): MaybePromise<TransformedBody> => {
      if (!isFilled) return passUnchanged(NO_BYTES, 0)
      if (!operations.encryptsBody || !mayDropBody(message, compiled)) throw refusal
      return andThen(changes.apply(cipher), () => withoutBody(changedHeaders))
    })
  }
  if (format === "other" && isOpaque(message, contentType, operations, compiled)) {
    return requireOpaque(message, body, operations).then((whole) => passUnchanged(whole, contentLength))
  }
  const isWanted = isForFormat(operations, format)
  if (contentType === null || format === "other" || (!isWanted && compiled.leakWatch === "off")) {
    return passUnchanged(body, contentLength)
  }
  if (format === "multipart" && isForRewriter(message, operations, limits)) {
    return transformMultipart({ ...message, body }, contentType, operations, changes, changedHeaders, {
      ...options,
      limits,
    })
  }

  const isOptional = !isWanted && compiled.leakWatch === "alert"
  const read = isOptional
    ? readBodyUpTo(body, limits.maxBodyBytes, options)
    : readBody(body, limits.maxBodyBytes, direction, options)
  return andThen(read, (bytes) => {
    if (!Buffer.isBuffer(bytes) || bytes.length === 0) return passUnchanged(bytes, contentLength)
    const raw = { rawHeaders, bytes, format, contentType }
    const transformRaw = isOptional ? transformIfReadable : transformWholeBody
    const work = transformRaw(raw, direction, operations, changes, { ...options, limits })
    return andThen(turns.run(work), (content) =>
      content === null
        ? { rawHeaders: changedHeaders, body: bytes, contentLength: bytes.length, isBodyChanged: false }
        : {
            rawHeaders: goesOnDecoded(message, operations)
              ? headersOfDecodedBody(changedHeaders)
              : headersOfChangedBody(changedHeaders),
            body: content,
            contentLength: content.length,
            isBodyChanged: true,
          },
    )
  })
}

/** Of a body that is only to be looked at: what cannot be read may go on. */
function* transformIfReadable(
  raw: RawBody,
  direction: "request" | "response",
  operations: Operations,
  changes: ValueChanges,
  options: TransformOptions,
): Work<Buffer | null> {
  try {
    return yield* transformWholeBody(raw, direction, operations, changes, options)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    yield* changes.applyInSteps(options.cipher)
    return null
  }
}

interface BodyType {
  readonly contentType: ContentType | null
  readonly format: BodyFormat
  /** Why a body of this type does not pass, unless it is empty; null when it may. */
  readonly refusal: unknown
}

/**
 * A response's type counts only where its body must be read: its sender is not the one who would be told.
 *
 * @throws InvalidContentTypeError when a request's is malformed, whether it has a body or not
 */
function readType(
  message: Message,
  hasBody: boolean,
  operations: Operations,
  compiled: TransformOptions["compiled"],
): BodyType {
  const { direction, rawHeaders } = message
  let contentType: ContentType | null
  try {
    contentType = parseContentType(headerOf(rawHeaders, "content-type"))
  } catch (error) {
    if (direction === "request") throw error
    const isRead = hasBody && (operations.touchesBody || compiled.leakWatch === "block")
    return { contentType: null, format: "other", refusal: isRead ? messageProblem(direction, error) : null }
  }
  const format = formatOf(contentType)
  const refusal = hasBody ? unknownTypeRefusal(message, format, contentType, operations, compiled) : null
  return { contentType, format, refusal }
}

function isEmpty({ body, contentLength }: Message): boolean {
  return (Buffer.isBuffer(body) && body.length === 0) || contentLength === 0
}

function isUnreadable(error: unknown): boolean {
  return error instanceof UnreadableBodyError || messageProblem("request", error) !== error
}
