import type { MaybePromise, Work } from "@sealway/kernel"
import type { Operations } from "../operations/compile-operations.ts"
import { addHeaders } from "./header-changes.ts"
import type { Message, TransformedMessage, TransformOptions } from "./message.ts"
import { messageProblem } from "./message-problem.ts"
import { MessageSubjects, withoutOwnSubject } from "./message-subjects.ts"
import { selectQuery } from "./query-changes.ts"
import { refuseMergedParameters } from "./refuse-merged-parameters.ts"
import { refuseSimilarHeaders } from "./refuse-similar-headers.ts"
import { refuseTokenInTarget, refuseTokensInHeaders } from "./refuse-tokens.ts"
import { transformBody } from "./transform-body.ts"
import { ValueChanges } from "./value-changes.ts"
import { watchQuery } from "./watch-body.ts"

/**
 * Encrypts and decrypts the selected values of a message. All other bytes stay unchanged: a body is only parsed if an
 * operation applies to its format, or the leak watch checks it. Whether values may be decrypted is decided once for the
 * headers and the body together, and nothing is changed when any may not.
 *
 * A large multipart body whose fields and files are only encrypted is a stream: a problem further down makes that
 * stream fail, with the `RelayError` that would otherwise have refused the message.
 *
 * @returns at once, and no promise, where the message is small, all of it is there, and nothing is looked up
 * @throws RelayError
 */
export function transformMessage(
  message: Message,
  operations: Operations,
  options: TransformOptions,
): MaybePromise<TransformedMessage> {
  return options.turns.run(transformInSteps(message, operations, options))
}

function* transformInSteps(
  message: Message,
  operations: Operations,
  options: TransformOptions,
): Work<TransformedMessage> {
  try {
    return yield* transform(message, operations, options)
  } catch (error) {
    throw messageProblem(message.direction, error)
  }
}

function* transform(
  message: Message,
  operations: Operations,
  options: TransformOptions,
): Work<TransformedMessage> {
  const { direction, target, rawHeaders } = message
  const { compiled, report, memory, limits } = options
  const query = target === null ? null : selectQuery(target, operations.query, compiled.caseSensitiveNames)
  if (direction === "request" && operations.encrypts) {
    refuseTokenInTarget(query?.rest ?? "")
    refuseTokensInHeaders(rawHeaders, operations.header)
    refuseSimilarHeaders(rawHeaders, operations)
    refuseMergedParameters(target ?? "", operations, compiled)
  }
  if (query !== null) watchQuery(query, compiled.leakWatch, report)
  const subjects = new MessageSubjects(direction, operations, rawHeaders)
  const { encryptEmptyStrings } = compiled
  const changes = new ValueChanges({ encryptEmptyStrings, subjects, report, memory })
  query?.addTo(changes)
  const changedHeaders = addHeaders(rawHeaders, operations.header, changes, limits.maxHeaderValueBytes)
  const transformation = { message, operations, options, subjects, changes, rawHeaders: changedHeaders }
  const rest = yield* transformBody(transformation)
  const passed = withoutOwnSubject(operations, rest.rawHeaders)
  return { ...rest, rawHeaders: passed, target: query?.target() ?? null }
}
