import { andThen, headerOf, type MaybePromise } from "@sealway/kernel"
import type { Operations } from "../compile-operations.ts"
import { type ContentType, parseContentType } from "../content-type.ts"
import { UnreadableBodyError } from "../located-body.ts"
import { type BodyFormat, formatOf, isForFormat } from "./body-format.ts"
import { addHeaders } from "./header-changes.ts"
import { headersOfChangedBody } from "./headers-of-changed-body.ts"
import type { RawBody } from "./locate-body.ts"
import type { Message, TransformedMessage, TransformOptions } from "./message.ts"
import { messageProblem, unsupported } from "./message-problem.ts"
import { isForRewriter, transformMultipart } from "./multipart-message.ts"
import { readBody, readBodyUpTo } from "./read-body.ts"
import { refuseOtherForms } from "./refuse-other-forms.ts"
import { refuseTokenInTarget, refuseTokensInHeaders } from "./refuse-tokens.ts"
import { ValueChanges } from "./value-changes.ts"
import { transformWholeBody } from "./whole-body.ts"

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
  const { direction, target, rawHeaders, body, contentLength } = message
  const { compiled, cipher, limits, report, memory } = options
  if (direction === "request" && operations.encrypts) {
    refuseTokenInTarget(target ?? "")
    refuseTokensInHeaders(rawHeaders, operations.header)
  }
  const changes = new ValueChanges({ encryptEmptyStrings: compiled.encryptEmptyStrings, report, memory })
  const changedHeaders = addHeaders(rawHeaders, operations.header, changes)
  const contentType = contentTypeOf(message, operations.touchesBody || compiled.leakWatch === "block")
  const format = body === null || isEmpty(message) ? "other" : formatOf(contentType)
  requireFormat(message, format, operations)
  if (contentType !== null && body !== null && !isEmpty(message)) {
    refuseOtherForms(message, format, contentType, operations, compiled.leakWatch)
  }
  const isWanted = isForFormat(operations, format)
  if (
    body === null ||
    contentType === null ||
    format === "other" ||
    (!isWanted && compiled.leakWatch === "off")
  ) {
    const unchanged = { rawHeaders: changedHeaders, body, contentLength, isBodyChanged: false }
    return andThen(changes.apply(cipher), () => unchanged)
  }
  if (format === "multipart" && isForRewriter(message, operations, limits)) {
    return transformMultipart({ ...message, body }, contentType, operations, changes, changedHeaders, options)
  }

  const isOptional = !isWanted && compiled.leakWatch === "alert"
  const read = isOptional
    ? readBodyUpTo(body, limits.maxBodyBytes, memory)
    : readBody(body, limits.maxBodyBytes, direction, memory)
  return andThen(read, (bytes) => {
    if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
      const unread = { rawHeaders: changedHeaders, body: bytes, contentLength, isBodyChanged: false }
      return andThen(changes.apply(cipher), () => unread)
    }
    const raw = { rawHeaders, bytes, format, contentType }
    const changed = isOptional
      ? transformIfReadable(raw, direction, operations, changes, options)
      : transformWholeBody(raw, direction, operations, changes, options)
    return andThen(changed, (content) =>
      content === null
        ? { rawHeaders: changedHeaders, body: bytes, contentLength: bytes.length, isBodyChanged: false }
        : {
            rawHeaders: headersOfChangedBody(changedHeaders),
            body: content,
            contentLength: content.length,
            isBodyChanged: true,
          },
    )
  })
}

/** Of a body that is only to be looked at: what cannot be read may go on. */
async function transformIfReadable(
  raw: RawBody,
  direction: "request" | "response",
  operations: Operations,
  changes: ValueChanges,
  options: TransformOptions,
): Promise<Buffer | null> {
  try {
    return await transformWholeBody(raw, direction, operations, changes, options)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    await changes.apply(options.cipher)
    return null
  }
}

/** A response's counts only where its body must be read: its sender is not the one who would be told. */
function contentTypeOf({ direction, rawHeaders }: Message, isBodyRead: boolean): ContentType | null {
  try {
    return parseContentType(headerOf(rawHeaders, "content-type"))
  } catch (error) {
    if (direction === "request" || isBodyRead) throw error
    return null
  }
}

function isEmpty({ body, contentLength }: Message): boolean {
  return (Buffer.isBuffer(body) && body.length === 0) || contentLength === 0
}

function requireFormat(message: Message, format: BodyFormat, { encryptsBody }: Operations): void {
  const { direction, body } = message
  if (direction === "request" || !encryptsBody || body === null || isEmpty(message)) return
  if (format === "other" || format === "urlencoded") {
    throw unsupported(
      direction,
      "The response is to be encrypted, and is not JSON, XML or multipart/form-data.",
    )
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof UnreadableBodyError || messageProblem("request", error) !== error
}
